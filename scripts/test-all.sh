#!/bin/sh
# All tests. What some of them need is installed where it is missing, if this is
# root on a machine with apt-get, or npm is there; what cannot be had is skipped,
# and every skip is printed at the end. Nothing is installed into the project.
# REST names the list of what an earlier `make test SKIPPED=...` skipped: then
# those tests alone are run, each whole.
set -u
cd "$(dirname "$0")/.."
tools=${BLAISE_TOOLS:-$HOME/.cache/blaise-tools}

say() { echo "test-all: $*"; }

can_apt() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

# The lists are fetched once, and only if something is to be installed.
apt() {
	can_apt || return 1
	[ -n "${updated:-}" ] || { apt-get update -qq || return 1; updated=1; }
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

# PostgreSQL: the tests start and stop a server of their own.
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null 2>&1; then
	say "PostgreSQL is here"
elif apt postgresql-15 || apt postgresql; then
	say "PostgreSQL installed"
else
	say "PostgreSQL cannot be had"
fi

# A browser, for the dashboard.
if command -v chromium >/dev/null 2>&1; then
	say "chromium is here"
elif apt chromium; then
	say "chromium installed"
else
	say "chromium cannot be had"
fi

# bubblewrap, for the sandbox.
if command -v bwrap >/dev/null 2>&1; then
	say "bubblewrap is here"
elif apt bubblewrap; then
	say "bubblewrap installed"
else
	say "bubblewrap cannot be had"
fi

# A Docker Engine of the tests' own, in a directory of its own. A second one on a
# machine takes away the bridge of the first, so it has its own network, too.
engine=
stop_engine() {
	[ -n "$engine" ] || return 0
	kill "$(cat "$engine/pid")" 2>/dev/null
	while [ -e "$engine/pid" ]; do sleep 0.1; done
	umount "$engine/data" 2>/dev/null
	rm -rf "$engine"
}
if [ -n "${BLAISE_TEST_DOCKER:-}" ]; then
	say "engine: $BLAISE_TEST_DOCKER"
elif [ "$(id -u)" = 0 ] && { command -v dockerd && command -v docker && command -v busybox ||
	apt docker.io iptables busybox-static; } >/dev/null 2>&1; then
	engine=$(mktemp -d)
	trap stop_engine EXIT
	unshare -n sh -c 'ip link set lo up 2>/dev/null; exec dockerd "$@"' dockerd --data-root "$engine/data" \
		--exec-root "$engine/exec" -H "unix://$engine/sock" -p "$engine/pid" >"$engine/log" 2>&1 &
	tries=0
	until DOCKER_HOST=unix://$engine/sock docker info >/dev/null 2>&1 || [ $tries -ge 300 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	if [ $tries -lt 300 ]; then
		export BLAISE_TEST_DOCKER="unix://$engine/sock"
		say "engine started"
	else
		say "the engine does not start: $(tail -1 "$engine/log")"
	fi
else
	say "a Docker Engine cannot be had"
fi

# axe-core, which looks at the dashboard as people with a screen reader meet it.
axe=$tools/node_modules/axe-core/axe.min.js
if [ ! -f "$axe" ] && command -v npm >/dev/null 2>&1; then
	mkdir -p "$tools" && npm install --silent --no-fund --no-audit --prefix "$tools" axe-core@4.10.3
fi
if [ -f "$axe" ]; then
	export BLAISE_TEST_AXE="$axe"
	say "axe-core: $axe"
else
	say "axe-core cannot be had"
fi

# Real agents that need no network: native, so that they run without node.
agent() {
	variable=$1 name=$2 program="$tools/node_modules/$3"
	[ -x "$program" ] || program=$(command -v "$name" 2>/dev/null || echo "$program")
	if [ ! -x "$program" ] && command -v npm >/dev/null 2>&1; then
		mkdir -p "$tools" && npm install --silent --no-fund --no-audit --prefix "$tools" "$4"
	fi
	if [ -x "$program" ]; then
		export "$variable=$program"
		say "$name: $program"
	else
		say "$name cannot be had"
	fi
}
codex=@zed-industries/codex-acp-linux-x64
agent BLAISE_TEST_CODEX codex-acp "$codex/bin/codex-acp" "$codex@0.16.0"
agent BLAISE_TEST_OPENCODE opencode opencode-linux-x64/bin/opencode opencode-linux-x64@1.18.33

[ $# -gt 0 ] || podman=yes
if [ $# -eq 0 ] && grep -q '^  ' "${REST:-/dev/null}"; then
	tests=$(awk '/^  / { sub("[/:].*", "", $2); print $2 }' "$REST" | sort -u | paste -sd '|' -)
	packages=$(awk '/^  / { print $1 }' "$REST" | sort -u)
	# shellcheck disable=SC2086 # packages are words of their own
	set -- -run "^($tests)\$" $packages
fi
[ $# -gt 0 ] || set -- ./...
scripts/test.sh "$@"
status=$?

# The plug container on the other engine, briefly.
if [ -n "${podman:-}" ]; then
	command -v podman >/dev/null 2>&1 || apt podman conmon netavark catatonit runc
	scripts/test-podman.sh || status=1
fi
exit $status
