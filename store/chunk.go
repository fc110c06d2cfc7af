package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A chunk, one row, holds at most so many events and, unless one event is
// longer, so many bytes.
const (
	maxChunkEvents = 200
	maxChunkBytes  = 256 << 10
)

// A batch is events of one run, as they came.
type batch struct {
	session blaise.SessionID
	run     blaise.RunID // "" for Blaise's own notices
	first   int64        // the N of the first line
	lines   [][]byte
}

// keep writes what is new of the batch.
func (b batch) keep(q querier) (last int64, added bool, err error) {
	last, err = b.lockHead(q)
	if err != nil {
		return 0, false, err
	}
	var have int64
	var digest []byte
	if _, err := q.one([]any{&have, &digest},
		`SELECT last_n, digest FROM records WHERE session = ? AND run = ?`,
		string(b.session), string(b.run)); err != nil {
		return 0, false, err
	}
	if b.first > have+1 {
		return 0, false, gap(b.run, have, b.first)
	}
	known := have + 1 - b.first
	if known >= int64(len(b.lines)) {
		return last, false, nil
	}
	b.lines, b.first = b.lines[known:], have+1
	if last, err = b.write(q, last); err != nil {
		return 0, false, err
	}
	return last, true, b.writeRecord(q, last, have, digest)
}

// lockHead finds the session's last seq, and keeps others from giving the
// next one.
func (b batch) lockHead(q querier) (last int64, err error) {
	query := `SELECT last_seq FROM heads WHERE session = ?` + q.d.lock
	found, err := q.one([]any{&last}, query, string(b.session))
	if err != nil || found {
		return last, err
	}
	if _, err := q.exec(`INSERT INTO heads (session, last_seq) VALUES (?, 0)
		ON CONFLICT (session) DO NOTHING`, string(b.session)); err != nil {
		return 0, err
	}
	_, err = q.one([]any{&last}, query, string(b.session))
	return last, err
}

// write writes the lines as chunks, after the session's last seq.
func (b batch) write(q querier, last int64) (int64, error) {
	for lines, n := b.lines, b.first; len(lines) > 0; {
		count, size := 0, 0
		for _, l := range lines {
			if count == maxChunkEvents || (count > 0 && size+len(l) >= maxChunkBytes) {
				break
			}
			count, size = count+1, size+len(l)+1
		}
		_, err := q.exec(`INSERT INTO chunks (session, first_seq, last_seq, run, first_n, body)
			VALUES (?, ?, ?, ?, ?, ?)`, string(b.session), last+1, last+int64(count),
			string(b.run), n, bytes.Join(lines[:count], []byte{'\n'}))
		if err != nil {
			return 0, fmt.Errorf("write chunk: %w", err)
		}
		last, n, lines = last+int64(count), n+int64(count), lines[count:]
	}
	return last, nil
}

// writeRecord takes the lines into the digest of the have events before them.
func (b batch) writeRecord(q querier, last, have int64, sum []byte) error {
	if _, err := q.exec(`UPDATE heads SET last_seq = ? WHERE session = ?`,
		last, string(b.session)); err != nil {
		return err
	}
	digest, err := digestOf(have, sum)
	if err != nil {
		return err
	}
	for _, l := range b.lines {
		digest.Add(l)
	}
	count, text := digest.Sum()
	if sum, err = hex.DecodeString(text); err != nil {
		return err
	}
	_, err = q.exec(`INSERT INTO records (session, run, last_n, digest) VALUES (?, ?, ?, ?)
		ON CONFLICT (session, run) DO UPDATE SET last_n = excluded.last_n,
		digest = excluded.digest`, string(b.session), string(b.run), count, sum)
	return err
}

// digestOf takes up a digest as it is kept.
func digestOf(count int64, sum []byte) (transcript.Digest, error) {
	if count == 0 {
		return transcript.Digest{}, nil
	}
	return transcript.ParseDigest(count, hex.EncodeToString(sum))
}

// errEnough ends the reading of rows early.
var errEnough = errors.New("enough")

// QueryEvents is the query of [DB.Events], for those who look at its plan: the
// chunk that holds the next event, and those after it.
const QueryEvents = `SELECT first_seq, run, first_n, body FROM chunks
	WHERE session = ? AND first_seq >= (SELECT COALESCE(MAX(first_seq), 0) FROM chunks
	WHERE session = ? AND first_seq <= ?) ORDER BY first_seq LIMIT ?`

// Events reads a session's transcript after a seq, at most limit events.
func (db *DB) Events(
	ctx context.Context, session blaise.SessionID, after int64, limit int,
) ([]transcript.Event, error) {
	var all []transcript.Event
	id := clean(string(session))
	err := db.readRecords(ctx).each(func(row *sql.Rows) error {
		var c chunk
		if err := row.Scan(&c.first, &c.run, &c.firstN, &c.body); err != nil {
			return err
		}
		var err error
		all, err = c.read(all, after, limit)
		return err
	}, QueryEvents, id, id, after+1, limit+1)
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("read transcript of session %s: %w", session, err)
	}
	return all, nil
}

// A chunk is one row of a transcript.
type chunk struct {
	first  int64
	run    string
	firstN int64
	body   sql.RawBytes
}

// read adds the events after a seq to all, and errEnough at the limit.
func (c chunk) read(all []transcript.Event, after int64, limit int) ([]transcript.Event, error) {
	seq, n := c.first, c.firstN
	for line := range bytes.SplitSeq(c.body, []byte{'\n'}) {
		if len(all) >= limit {
			return all, errEnough
		}
		if seq > after {
			var e transcript.Event
			if err := json.Unmarshal(line, &e); err != nil {
				return all, fmt.Errorf("read event %d: %w", seq, err)
			}
			e.Seq, e.N, e.Run = seq, n, c.run
			if c.run == "" {
				e.N = 0 // the outbox's number is no run's
			}
			all = append(all, e)
		}
		seq, n = seq+1, n+1
	}
	return all, nil
}
