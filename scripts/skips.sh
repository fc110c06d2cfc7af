#!/bin/sh
# Reads `go test -json` and prints the name of each skipped test with the
# reason it gave, so that nothing is skipped unseen.
exec awk '
function field(name,    re) {
	re = "\"" name "\":\"([^\"\\\\]|\\\\.)*\""
	if (!match($0, re)) return ""
	return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 5)
}
/"Action":"output"/ {
	out = field("Output"); gsub(/\\[nt]/, " ", out); gsub(/\\"/, "\"", out)
	if (out ~ /[a-z_]\.go:[0-9]+: / && field("Test") != "") why[field("Package") " " field("Test")] = out
	next
}
/"Action":"skip"/ && /"Test":/ {
	key = field("Package") " " field("Test")
	skipped[++n] = key; sub(/^ *[^ ]*\.go:[0-9]+: */, "", why[key])
}
END {
	if (n == 0) { print "no test was skipped"; exit }
	print n " tests were skipped:"
	for (i = 1; i <= n; i++) print "  " skipped[i] ": " why[skipped[i]]
}'
