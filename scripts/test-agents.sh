#!/bin/sh
# Real agents, run through the built programs against a model on loopback, in a
# network namespace that has nothing else where this machine allows one. The
# agents are installed outside the project. Arguments go to the tests: -update
# writes docs/agents.md, -test.run TestAgents/codex runs those of that name.
set -u
cd "$(dirname "$0")/.."
export BLAISE_TEST_AGENTS="${BLAISE_TEST_AGENTS:-$HOME/.cache/blaise-agents}"

scripts/install-agents.sh "$BLAISE_TEST_AGENTS" || echo "test-agents: some agents are missing, and are skipped"

binary=$(mktemp)
trap 'rm -f "$binary"' EXIT
go test -c -o "$binary" ./internal/agents || exit 1
cd internal/agents || exit 1
set -- "$binary" -test.v -test.timeout 60m "$@"
if unshare -rn true 2>/dev/null && command -v ip >/dev/null 2>&1; then
	unshare -rn sh -c 'ip link set lo up && exec "$@"' sh "$@"
else
	echo "test-agents: no network namespace here: agents are kept in by proxies that lead nowhere"
	http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 no_proxy=127.0.0.1,localhost "$@"
fi
