package blaise

import "strconv"

// Count is a number of things in words, as in "1 run" and "2 runs"; it knows
// things with an s alone.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
