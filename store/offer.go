package store

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
)

// An Offer is a run that waits for a runner.
type Offer struct {
	Run          blaise.Run
	Session      blaise.SessionID
	Agent        blaise.AgentName
	Requirements map[string]string
}

// Offers lists the offered runs that may be taken at now, teardowns first,
// then the oldest. Runs of held sessions are not offered.
func (db *DB) Offers(ctx context.Context, now time.Time, limit int) ([]Offer, error) {
	return nil, errors.ErrUnsupported
}
