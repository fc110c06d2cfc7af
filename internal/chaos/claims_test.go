package main

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"blaise.dev/blaise"
)

// A session whose runs take the lease one after the other is never accused,
// whatever the delays; a turn granted to a run that has lost it always is.
func TestClaims(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClaims()
		now := c.began
		tick := func() time.Time { now = now.Add(time.Millisecond); return now }
		fence := 0
		for range rapid.IntRange(1, 20).Draw(t, "grants") {
			lease := fence == 0 || rapid.Bool().Draw(t, "lease")
			if lease {
				fence++
			}
			c.addSpan(lease, blaise.SessionID("abcd1234").Run(fence), tick(), tick())
		}
		if err := c.check("abcd1234"); err != nil {
			t.Fatalf("accused: %v", err)
		}
		if fence > 1 {
			c.addSpan(false, blaise.SessionID("abcd1234").Run(fence-1), tick(), tick())
			if c.check("abcd1234") == nil {
				t.Fatal("a turn of a run that has lost its lease was not found")
			}
		}
	})
}
