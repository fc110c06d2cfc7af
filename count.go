package blaise

import (
	"fmt"
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

// Size is a number of bytes in words, as in "2.5 MB".
func Size(n int64) string {
	switch {
	case n < 1e6:
		return fmt.Sprintf("%d kB", (n+999)/1000)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
