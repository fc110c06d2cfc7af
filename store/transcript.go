package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// maxLine is the longest event: its data are at most 1 MiB before they are
// escaped.
const maxLine = 8 << 20

// A Record says how much of a run's transcript has been kept.
type Record struct {
	Count  int64  // events kept; their N are 1 to Count
	Digest string // the [transcript.Digest] of their lines
}

// Append keeps events of a run and returns the session's last seq after them.
// Those already kept are skipped, by N. A gap in N is CodeInvalid and keeps
// nothing. What it has answered survives a power cut. The line of an event,
// for the digest, is json.Marshal of it without Seq.
func (db *DB) Append(
	ctx context.Context, session blaise.SessionID, run blaise.RunID, entries []transcript.Event,
) (last int64, err error) {
	if len(entries) == 0 {
		return db.LastSeq(ctx, session)
	}
	lines := make([][]byte, len(entries))
	first := entries[0].N
	for i, e := range entries {
		if e.N != first+int64(i) {
			return 0, gap(run, first+int64(i)-1, e.N)
		}
		e.Seq = 0
		if lines[i], err = json.Marshal(e); err != nil {
			return 0, blaise.Errorf(blaise.CodeInvalid, "event %d of run %s: %v", e.N, run, err)
		}
	}
	return db.append(ctx, batch{session: session, run: run, first: first, lines: lines})
}

// AppendRaw is Append for events that are JSON lines already, without their
// line ends; the first has the number firstN.
func (db *DB) AppendRaw(
	ctx context.Context, session blaise.SessionID, run blaise.RunID, firstN int64, lines [][]byte,
) (last int64, err error) {
	if len(lines) == 0 {
		return db.LastSeq(ctx, session)
	}
	for i, l := range lines {
		if len(l) > maxLine || bytes.IndexByte(l, '\n') >= 0 || !json.Valid(l) {
			return 0, blaise.Errorf(blaise.CodeInvalid, "event %d of run %s is no line of JSON",
				firstN+int64(i), run)
		}
	}
	return db.append(ctx, batch{session: session, run: run, first: firstN, lines: lines})
}

func (db *DB) append(ctx context.Context, b batch) (last int64, err error) {
	if b.first < 1 {
		return 0, gap(b.run, 0, b.first)
	}
	added := false
	err = db.records.do(ctx, func(q querier) error {
		last, added, err = b.keep(q)
		return err
	})
	if err != nil {
		if blaise.CodeOf(err) == blaise.CodeInvalid {
			return 0, err
		}
		return 0, fmt.Errorf("append to transcript of session %s: %w", b.session, err)
	}
	if added {
		db.o.Appended(b.session, last)
	}
	return last, nil
}

func gap(run blaise.RunID, last, next int64) error {
	return blaise.Errorf(blaise.CodeInvalid, "events of run %s: %d follows %d", run, next, last)
}

// LastSeq is the seq of a session's last event, 0 for none.
func (db *DB) LastSeq(ctx context.Context, session blaise.SessionID) (int64, error) {
	var last int64
	_, err := db.readRecords(ctx).one([]any{&last},
		`SELECT last_seq FROM heads WHERE session = ?`, clean(string(session)))
	return last, err
}

// Record says how much of a run's transcript has been kept.
func (db *DB) Record(ctx context.Context, run blaise.RunID) (Record, error) {
	var last int64
	var sum []byte
	_, err := db.readRecords(ctx).one([]any{&last, &sum},
		`SELECT last_n, digest FROM records WHERE session = ? AND run = ?`,
		clean(string(run.Session())), clean(string(run)))
	if err != nil {
		return Record{}, fmt.Errorf("read record of run %s: %w", run, err)
	}
	digest, err := digestOf(last, sum)
	if err != nil {
		return Record{}, fmt.Errorf("read record of run %s: %w", run, err)
	}
	var r Record
	r.Count, r.Digest = digest.Sum()
	return r, nil
}

func (db *DB) readRecords(ctx context.Context) querier {
	return querier{ctx: ctx, c: db.recordReads, d: db.d}
}
