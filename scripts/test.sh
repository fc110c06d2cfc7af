#!/bin/sh
# Runs go test with the race detector where this machine can build it, prints
# what go test prints, and at the end the names of the tests that were skipped;
# SKIPPED names a file that gets them, too. Arguments are handed to go test.
set -u
cd "$(dirname "$0")/.."

race=""
if command -v "${CC:-cc}" >/dev/null 2>&1; then
	export CGO_ENABLED=1
	race="-race"
	# Each program under the detector waits a second before it ends, and the tests
	# of environments start hundreds.
	export GORACE="atexit_sleep_ms=0 ${GORACE:-}"
else
	echo "no C compiler: the race detector is left out"
fi

log=$(mktemp)
trap 'rm -f "$log" "$log.rc"' EXIT
{
	go test $race -json -p "${PARALLEL:-2}" -timeout 15m "$@"
	echo $? >"$log.rc"
} | tee "$log" | scripts/show.sh
scripts/skips.sh <"$log" | tee "${SKIPPED:-/dev/null}"
exit "$(cat "$log.rc")"
