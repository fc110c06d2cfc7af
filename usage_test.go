package blaise_test

import (
	"testing"

	"blaise.dev/blaise"
)

// What rounds up to the next unit is said in it.
func TestTokensAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 950: "950", 9_999: "9999", 10_000: "10k", 12_500: "12.5k", 999_499: "999k", 999_500: "1M",
		999_999: "1M", 3_100_000: "3.1M", 999_499_999: "999M", 999_500_000: "1B", 1_230_000_000: "1.23B",
	} {
		if got := blaise.TokenCount(n); got != want {
			t.Errorf("%d is said as %s, want %s", n, got, want)
		}
	}
}
