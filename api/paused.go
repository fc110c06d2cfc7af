package api

import (
	"context"
	"time"

	"blaise.dev/blaise"
)

// A Paused is an environment that is paused: no process runs in it, and what it
// holds is kept (A12).
type Paused struct {
	Session     blaise.SessionID     `json:"session"`
	Title       string               `json:"title"`
	Environment blaise.EnvironmentID `json:"environment"`
	Runner      blaise.RunnerID      `json:"runner"`
	Since       time.Time            `json:"since"`
	DueAt       time.Time            `json:"due_at,omitzero"`     // when it is given up, if nothing happens; not while it is held
	Bytes       int64                `json:"bytes,omitempty"`     // on its machine's disk, and its engine's, of all that was weighed
	Unweighed   []string             `json:"unweighed,omitempty"` // what it holds of which nobody knows what it takes: "volume NAME"
}

// Paused lists the environments that are paused, the longest first, at most 1000
// of them. User token.
func (c *Client) Paused(ctx context.Context) ([]Paused, error) {
	var out []Paused
	return out, c.get(ctx, "/api/paused", nil, &out)
}
