package api

import "time"

// A Budget is what a Session has used of what it may use (B8).
type Budget struct {
	Turns         Allowance  `json:"turns"`          // answered
	Tokens        Allowance  `json:"tokens"`         // as the agent counts them
	ActiveSeconds Allowance  `json:"active_seconds"` // in turns that did not wait on a person
	ExpiresAt     *time.Time `json:"expires_at"`
}

// An Allowance is how much of something is used; Limit is nil where the agent's
// budget sets none.
type Allowance struct {
	Used  int64  `json:"used"`
	Limit *int64 `json:"limit"`
}
