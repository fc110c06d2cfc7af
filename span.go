package blaise

import (
	"strconv"
	"time"
)

// Span is a length in words that are quick to read: to the second, and of more
// than a day to the hour, as in 6d23h. What is past is 0s.
func Span(length time.Duration) string {
	length = max(0, length.Round(time.Second))
	days, rest := length/(24*time.Hour), length%(24*time.Hour)
	switch {
	case days == 0:
		return length.String()
	case rest < time.Hour:
		return strconv.Itoa(int(days)) + "d"
	}
	return strconv.Itoa(int(days)) + "d" + strconv.Itoa(int(rest.Hours())) + "h"
}
