package store

import (
	"context"
	"errors"

	"blaise.dev/blaise"
)

// LastDirective is the number of the session's last directive, 0 for none.
func (db *DB) LastDirective(ctx context.Context, session blaise.SessionID) (int64, error) {
	return 0, errors.ErrUnsupported
}

// Directives answers the run's directives with a number above after: those
// open, and the numbers of those taken back.
func (db *DB) Directives(ctx context.Context, run blaise.RunID, after int64) (open []blaise.Directive, void []int64, err error) {
	return nil, nil, errors.ErrUnsupported
}

// StartKey finds the first message of the session that was started with an
// idempotency key.
func (tx *Tx) StartKey(key string) (blaise.MessageID, bool, error) {
	return "", false, errors.ErrUnsupported
}

// KeepStartKey remembers the first message of a session under the idempotency
// key it was started with.
func (tx *Tx) KeepStartKey(key string, first blaise.MessageID) error {
	return errors.ErrUnsupported
}

// Notice adds a notice of Blaise's own to the session's transcript, as part of
// the transaction.
func (tx *Tx) Notice(session blaise.SessionID, n blaise.Notice) error { return errors.ErrUnsupported }

// The states of a directive.
const (
	DirectiveOpen     = "open"
	DirectiveReceived = "received"
	DirectiveVoid     = "void"
)
