#!/bin/sh
# Tests the plug container on a Podman of the tests' own, in a directory of its
# own: the whole of `go test ./plug -run Container` if told -all, else a choice
# of it that takes well under a minute. It needs podman, runc and busybox, and the
# docker program to look from outside. Run by who is not root it tests a rootless
# Podman: that needs newuidmap, and lines of the user in /etc/subuid and /etc/subgid.
set -u
cd "$(dirname "$0")/.."
for tool in podman runc busybox docker; do
	command -v "$tool" >/dev/null 2>&1 || { echo "test-podman: no $tool: left out"; exit 0; }
done
if [ "$(id -u)" != 0 ]; then
	command -v newuidmap >/dev/null 2>&1 && grep -q "^$(id -un):" /etc/subuid ||
		{ echo "test-podman: not root, and no newuidmap or no lines in /etc/subuid: left out"; exit 0; }
fi
some='^(TestContainer|TestContainerReadOnlyAndForeign|TestContainerFilesAreThoseInside|TestDevcontainer)$/(^opens|^gone|^signals)'
[ "${1:-}" != -all ] || some='Container|Devcontainer'

dir=$(mktemp -d)
[ "$(id -u)" = 0 ] || { mkdir -m 700 "$dir/xdg" && export XDG_RUNTIME_DIR="$dir/xdg"; }
service=
# The limits are those that a container may have that itself may raise none; runc
# and cgroupfs work where systemd does not run; the delay is how long something is
# left of each command.
cat >"$dir/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=8192:8192", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
exit_command_delay = 5
CONF
export CONTAINERS_CONF="$dir/containers.conf"
podman() { command podman --root "$dir/root" --runroot "$dir/run" --tmpdir "$dir/tmp" "$@"; }
# gone removes what is left; some of it belongs to the ids of a rootless Podman.
gone() {
	[ "$(id -u)" = 0 ] || command podman unshare rm -rf "$dir/root" "$dir/run" 2>/dev/null
	rm -rf "$dir" 2>/dev/null
}
stop() {
	podman rm -af >/dev/null 2>&1
	[ -z "$service" ] || { kill "$service"; wait "$service"; } 2>/dev/null
	kill $(pgrep -f "^[^ ]*conmon .*$dir/") 2>/dev/null
	tries=0
	until umount "$dir/root/overlay" 2>/dev/null; gone || [ $tries -ge 50 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
}
trap stop EXIT
command podman --root "$dir/root" --runroot "$dir/run" --tmpdir "$dir/tmp" \
	system service --time=0 "unix://$dir/sock" >"$dir/log" 2>&1 &
service=$!
tries=0
until DOCKER_HOST="unix://$dir/sock" docker version >/dev/null 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 100 ] || { echo "test-podman: it does not start: $(tail -1 "$dir/log")"; exit 1; }
	sleep 0.1
done
echo "test-podman: $(id -un), $(command podman --version), $(runc --version | head -1)"
BLAISE_TEST_DOCKER="unix://$dir/sock" go test ./plug -count=1 -timeout 15m -run "$some"
