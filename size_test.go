package blaise_test

import (
	"testing"

	"blaise.dev/blaise"
)

// A size has the unit that suits it, and never reads as less than it is.
func TestSizeForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1 kB", 1025: "2 kB", 12 << 10: "12 kB",
		1 << 20: "1 MB", 12 << 20: "12 MB", 10<<20 + 1: "10.1 MB", 5 << 19: "2.5 MB", 1<<30 - 1: "1024 MB", 3 << 29: "1.5 GB", 3 << 40: "3072 GB",
	} {
		if got := blaise.Size(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}
