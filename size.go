package blaise

import (
	"fmt"
	"math"
	"strings"
)

// Size is a number of bytes for people, as in "67 bytes", "12 kB" and "2.5 MB".
// An MB is 1024 kB, as in all settings, and what is left over is rounded up: what
// is longer than a limit never reads as if it were not.
func Size(n int64) string {
	if n < 1<<10 {
		return Count(int(n), "byte")
	}
	if n < 1<<20 {
		return fmt.Sprintf("%d kB", (n+1<<10-1)>>10)
	}
	unit, much := "MB", float64(n)/(1<<20)
	if n >= 1<<30 {
		unit, much = "GB", much/(1<<10)
	}
	return strings.Replace(fmt.Sprintf("%.1f %s", math.Ceil(much*10)/10, unit), ".0 ", " ", 1)
}
