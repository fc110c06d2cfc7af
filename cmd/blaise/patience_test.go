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
	if a, b := passing.ReplaceAllString("heard 1m3s ago, 4 of 4", ""), "heard  ago, 4 of 4"; a != b {
		t.Errorf("without its times: %q, want %q", a, b)
	}
}
