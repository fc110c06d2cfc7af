package store

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
)

// A Due is a clock whose time has come, or will.
type Due struct {
	Session blaise.SessionID
	Clock   blaise.Clock
}

// Due lists the clocks due at now, the most overdue first. Clocks of held
// sessions stand still.
func (db *DB) Due(ctx context.Context, now time.Time, limit int) ([]Due, error) {
	return nil, errors.ErrUnsupported
}

// NextDue says when the next clock is due; false if none runs.
func (db *DB) NextDue(ctx context.Context) (time.Time, bool, error) {
	return time.Time{}, false, errors.ErrUnsupported
}

// TouchClock moves a session's clocks of a kind, if it has any, without
// changing the session's version.
func (tx *Tx) TouchClock(session blaise.SessionID, kind blaise.ClockKind, due time.Time) error {
	return errors.ErrUnsupported
}
