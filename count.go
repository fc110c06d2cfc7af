package blaise

import (
	"strconv"
	"time"
)

// Count is a number of things in words, as in "1 run" and "2 runs"; it knows
// things with an s alone.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// Days is a length as a manifest would have it: whole days as such, as in 90d.
func Days(length time.Duration) string {
	if n := length / (24 * time.Hour); n > 0 && length == n*24*time.Hour {
		return strconv.FormatInt(int64(n), 10) + "d"
	}
	return length.String()
}
