package api

import (
	"time"

	"blaise.dev/blaise"
)

// A Status is how Blaise is: what /statusz answers.
type Status struct {
	Version    string    `json:"version"`
	Go         string    `json:"go"`
	URL        string    `json:"url"`
	StartedAt  time.Time `json:"started_at"`
	NotReady   string    `json:"not_ready,omitempty"` // why, in words
	Goroutines int       `json:"goroutines"`
	Figures    *Figures  `json:"figures,omitempty"` // missing where the store does not answer
}

// Figures are how much there is. Times are in seconds.
type Figures struct {
	Sessions         map[blaise.SessionState]int     `json:"sessions"`
	Environments     map[blaise.EnvironmentState]int `json:"environments"`
	QuestionsOpen    int                             `json:"questions_open"`
	RunsRunning      int                             `json:"runs_running"`
	RunsWaiting      Waiting                         `json:"runs_waiting"`
	TeardownsWaiting Waiting                         `json:"teardowns_waiting"`
	Instances        map[string]int                  `json:"instances"`
	Slots            int                             `json:"slots"`
	ClockLag         float64                         `json:"clock_lag"`
	HeartbeatAge     float64                         `json:"heartbeat_age"`
}

// Waiting is a queue of runs, and how long its first has waited.
type Waiting struct {
	Runs   int     `json:"runs"`
	Oldest float64 `json:"oldest"`
}
