package main

import (
	"slices"
	"testing"
)

func TestWaits(t *testing.T) {
	t.Parallel()
	got := waits([]string{
		"session a is queued: x", "environment a.e1 is none: y", "run a.1 (start) is offered: z",
		"no runner matches: w", "clock connect fires at noon", "clock teardown fires at one",
	})
	want := []string{"run a.1 (start) is offered: z", "no runner matches: w", "clock teardown fires at one"}
	if !slices.Equal(got, want) {
		t.Errorf("waits = %q, want %q", got, want)
	}
	for line, want := range map[string]string{
		"heard 1m3s ago, 4 of 4":          "heard  ago, 4 of 4",
		"it is the 2nd of 7 for agent it": "it is the 2 for agent it", // who comes behind changes nothing
	} {
		if got := passing.ReplaceAllString(line, ""); got != want {
			t.Errorf("without what passes: %q, want %q", got, want)
		}
	}
}
