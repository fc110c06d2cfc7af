#!/bin/sh
# Reads `go test -json` and prints what a person wants to see: the line of each
# package, and all that failing tests wrote. Needs awk alone.
exec awk '
function field(name,    re, s) {
	re = "\"" name "\":\"([^\"\\\\]|\\\\.)*\""
	if (!match($0, re)) return ""
	s = substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 5)
	return s
}
function plain(s) {
	gsub(/\\n/, "\n", s); gsub(/\\t/, "\t", s); gsub(/\\"/, "\"", s)
	gsub(/\\u003c/, "<", s); gsub(/\\u003e/, ">", s); gsub(/\\u0026/, "\\&", s); gsub(/\\u001b\[[0-9;]*m/, "", s)
	gsub(/\\\\/, "\\", s)
	return s
}
!/^\{/ { print; fflush(); next }
{
	action = field("Action"); pkg = field("Package"); test = field("Test")
	key = pkg "\t" test
}
action == "build-output" { printf "%s", plain(field("Output")); next }
action == "output" && test == "" {
	out = plain(field("Output"))
	if (out ~ /^(ok|FAIL|---|\?|panic)/ || failed[pkg]) { printf "%s", out; fflush() }
	else loose[pkg] = loose[pkg] out
	next
}
action == "output" { kept[key] = kept[key] plain(field("Output")); next }
action == "fail" && test != "" { printf "%s", kept[key]; delete kept[key]; failed[pkg] = 1; next }
action == "fail" { printf "%s", loose[pkg]; failedPkgs++; next }
(action == "pass" || action == "skip") && test != "" { delete kept[key]; count[action]++; next }
END {
	printf "\n%d tests passed, %d skipped, %d packages failed\n", count["pass"], count["skip"], failedPkgs
}'
