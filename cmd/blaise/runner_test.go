package main

import (
	"testing"
	"time"

	"blaise.dev/blaise/api"
)

// The list says of each daemon of a runner what its page says, once.
func TestRunnerState(t *testing.T) {
	t.Parallel()
	online := api.Instance{Online: true}
	drains := api.Instance{Online: true, Draining: true, Paused: "it drains"}
	paused := api.Instance{Online: true, Paused: "less than 1 GB is free"}
	stopped := api.Instance{StoppedAt: time.Unix(1, 0)}
	for want, all := range map[string][]api.Instance{
		"offline":                              {},
		"online (1)":                           {online, stopped},
		"draining (1)":                         {drains},
		"online (1), draining (1), paused (2)": {paused, drains, online, paused},
		"stopped":                              {stopped, stopped},
	} {
		if got, _ := runnerState(api.Runner{Instances: all}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, _ := runnerState(api.Runner{Instances: []api.Instance{{}, stopped}}); got != "offline" {
		t.Errorf("%q, want offline", got)
	}
}
