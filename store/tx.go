package store

import (
	"context"
	"errors"

	"blaise.dev/blaise"
)

// A Tx is one transaction of the decision lane. It is used by the function
// given to [DB.Tx] alone, and not after it has returned.
type Tx struct{}

// Tx runs fn in a transaction and returns after it was committed, or with fn's
// error after it was rolled back. fn does no I/O of its own, waits for
// nothing, and may run again. When ctx ends before fn began, fn does not run.
func (db *DB) Tx(ctx context.Context, fn func(tx *Tx) error) error { return errors.ErrUnsupported }

// CreateSession writes a new session with all that snap holds.
// ErrExists: the id is taken.
func (tx *Tx) CreateSession(snap blaise.Snapshot) error { return errors.ErrUnsupported }

// Snapshot locks a session and loads it; Policy is left zero. CodeNotFound.
func (tx *Tx) Snapshot(id blaise.SessionID) (blaise.Snapshot, error) {
	return blaise.Snapshot{}, errors.ErrUnsupported
}

// Write writes what plan changes of before, with history and notices, and adds
// one to the session's version. A plan that changes nothing writes nothing.
// ErrConflict: before is not what the store holds.
func (tx *Tx) Write(before blaise.Snapshot, plan blaise.Plan) error { return errors.ErrUnsupported }

// MessageByKey finds a message by its idempotency key.
func (tx *Tx) MessageByKey(id blaise.SessionID, key string) (blaise.Message, bool, error) {
	return blaise.Message{}, false, errors.ErrUnsupported
}

// Message reads a message in any state. CodeNotFound.
func (tx *Tx) Message(id blaise.MessageID) (blaise.Message, error) {
	return blaise.Message{}, errors.ErrUnsupported
}

// Question reads a question in any state. CodeNotFound.
func (tx *Tx) Question(id blaise.QuestionID) (blaise.Question, error) {
	return blaise.Question{}, errors.ErrUnsupported
}

// Run reads a run in any state. CodeNotFound.
func (tx *Tx) Run(id blaise.RunID) (blaise.Run, error) { return blaise.Run{}, errors.ErrUnsupported }

// Received notes that a run has received a directive and what it was told.
func (tx *Tx) Received(run blaise.RunID, n int64, verdict blaise.Verdict) error {
	return errors.ErrUnsupported
}

// Directive reads a directive, its state (open, received, void) and the
// verdict that its receipt got. CodeNotFound.
func (tx *Tx) Directive(session blaise.SessionID, n int64) (
	d blaise.Directive, state string, verdict blaise.Verdict, err error,
) {
	return d, "", "", errors.ErrUnsupported
}

// Answer finds the answer that a run's nth report got.
func (tx *Tx) Answer(run blaise.RunID, n int64) (answer []byte, found bool, err error) {
	return nil, false, errors.ErrUnsupported
}

// KeepAnswer keeps the answer to a run's nth report; the first one stays.
func (tx *Tx) KeepAnswer(run blaise.RunID, n int64, answer []byte) error {
	return errors.ErrUnsupported
}

// A Lease is what is kept of a run's lease: never its token.
type Lease struct {
	Nonce     string
	TokenHash []byte
}

// KeepLease keeps a run's lease, in place of an earlier one.
func (tx *Tx) KeepLease(run blaise.RunID, nonce string, tokenHash []byte) error {
	return errors.ErrUnsupported
}

// Lease reads a run's lease.
func (tx *Tx) Lease(run blaise.RunID) (Lease, bool, error) {
	return Lease{}, false, errors.ErrUnsupported
}

// RunByLease finds the run whose lease has the token. CodeNotFound.
func (db *DB) RunByLease(ctx context.Context, tokenHash []byte) (blaise.Run, error) {
	return blaise.Run{}, errors.ErrUnsupported
}

// KeepConfig keeps the blaise.yml an environment was opened with.
func (tx *Tx) KeepConfig(env blaise.EnvironmentID, yml []byte) error { return errors.ErrUnsupported }

// Config reads the blaise.yml an environment was opened with, nil for none.
func (tx *Tx) Config(env blaise.EnvironmentID) ([]byte, error) { return nil, errors.ErrUnsupported }

// SavePlugState seals and keeps a plug's state; nil forgets it. CodeInvalid:
// it is longer than 64 KB.
func (tx *Tx) SavePlugState(env blaise.EnvironmentID, plug string, value []byte) error {
	return errors.ErrUnsupported
}

// PlugState reads a plug's state, nil for none.
func (db *DB) PlugState(ctx context.Context, env blaise.EnvironmentID, plug string) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// KeepSave keeps a save of a session's work. Write does it too.
func (tx *Tx) KeepSave(session blaise.SessionID, w blaise.SavedWork) error {
	return errors.ErrUnsupported
}

// Saves lists a session's saves in order.
func (db *DB) Saves(ctx context.Context, session blaise.SessionID) ([]blaise.SavedWork, error) {
	return nil, errors.ErrUnsupported
}
