package store

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
)

// A Filter chooses sessions. The zero value chooses the latest 100.
type Filter struct {
	State       blaise.SessionState // "" for any
	Agent       blaise.AgentName    // "" for any
	Text        string              // in id, title, author or reason; case does not count
	NeedsPerson bool                // a question is open, the door waits, or the environment is orphaned
	Limit       int
	Before      string // the Cursor of the last Summary of the page before
}

// A Summary is one line of a list of sessions.
type Summary struct {
	ID          blaise.SessionID
	Agent       blaise.AgentName
	State       blaise.SessionState
	Held        bool
	Outcome     blaise.Outcome
	Reason      string
	Title       string
	Author      string
	Environment blaise.EnvironmentState
	Context     blaise.ContextState
	Waits       int // open questions
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Cursor is the value of Filter.Before for the page after this line.
func (s Summary) Cursor() string { return "" }

// Sessions lists sessions, the latest created first. CodeInvalid: the cursor
// is none.
func (db *DB) Sessions(ctx context.Context, f Filter) ([]Summary, error) {
	return nil, errors.ErrUnsupported
}

// Counts says how many sessions there are in each state.
func (db *DB) Counts(ctx context.Context) (map[blaise.SessionState]int, error) {
	return nil, errors.ErrUnsupported
}

// FindSession finds the one session whose id begins with prefix. CodeNotFound;
// CodeInvalid: there are several.
func (db *DB) FindSession(ctx context.Context, prefix string) (blaise.SessionID, error) {
	return "", errors.ErrUnsupported
}
