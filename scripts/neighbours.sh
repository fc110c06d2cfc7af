#!/bin/sh
# Builds blaise and runner of an earlier commit, the last tag unless OLD says
# which, and tries them together with those of now.
set -eu
cd "$(dirname "$0")/.."
old=${OLD:-$(git describe --tags --abbrev=0 2>/dev/null || git rev-list --max-count=1 --skip=50 HEAD)}
work=$(mktemp -d)
trap 'git worktree remove --force "$work/tree"; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/tree" "$old"
(cd "$work/tree" && CGO_ENABLED=0 go build -trimpath -o "$work/" ./cmd/blaise ./cmd/runner)
echo "with $(git log -1 --format='%h %s' "$old")"
BLAISE_TEST_OLD=$work go test -count=1 -run Neighbours "$@" ./internal/e2e
