package store

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
)

// A View is all of a session, final rows too, as of one moment.
type View struct {
	Session     blaise.Session
	Environment blaise.Environment
	Older       []blaise.Environment // of earlier generations, oldest first
	Runs        []blaise.Run
	Messages    []blaise.Message
	Questions   []blaise.Question
	Clocks      []blaise.Clock
	Saves       []blaise.SavedWork
	Directives  []blaise.Directive // open ones
	UpdatedAt   time.Time
}

// View reads a session. CodeNotFound.
func (db *DB) View(ctx context.Context, id blaise.SessionID) (View, error) {
	return View{}, errors.ErrUnsupported
}

// History lists a session's last changes, oldest first.
func (db *DB) History(
	ctx context.Context, session blaise.SessionID, limit int,
) ([]blaise.Change, error) {
	return nil, errors.ErrUnsupported
}
