package store

import (
	"context"
	"errors"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A Record says how much of a run's transcript has been kept.
type Record struct {
	Last   int64  // the last event's N
	Count  int64  // events kept
	Digest string // hex; sum(i) = SHA-256(sum(i-1) || line(i)), sum(0) is empty
}

// Append keeps events of a run and returns the session's last seq after them.
// Those already kept are skipped, by N. A gap in N is CodeInvalid and keeps
// nothing. What it has answered survives a power cut.
func (db *DB) Append(
	ctx context.Context, session blaise.SessionID, run blaise.RunID, entries []transcript.Event,
) (last int64, err error) {
	return 0, errors.ErrUnsupported
}

// AppendRaw is Append for events that are JSON lines already, without their
// line ends; the first has the number firstN.
func (db *DB) AppendRaw(
	ctx context.Context, session blaise.SessionID, run blaise.RunID, firstN int64, lines [][]byte,
) (last int64, err error) {
	return 0, errors.ErrUnsupported
}

// Events reads a session's transcript after a seq, at most limit events.
func (db *DB) Events(
	ctx context.Context, session blaise.SessionID, after int64, limit int,
) ([]transcript.Event, error) {
	return nil, errors.ErrUnsupported
}

// LastSeq is the seq of a session's last event, 0 for none.
func (db *DB) LastSeq(ctx context.Context, session blaise.SessionID) (int64, error) {
	return 0, errors.ErrUnsupported
}

// Record says how much of a run's transcript has been kept; zero for none.
func (db *DB) Record(ctx context.Context, run blaise.RunID) (Record, error) {
	return Record{}, errors.ErrUnsupported
}
