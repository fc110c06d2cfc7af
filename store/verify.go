package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// A Tally says how much a store holds.
type Tally struct {
	Sessions int64 `json:"sessions"`
	Events   int64 `json:"events"`
	Files    int64 `json:"files"`
}

// String says it in words.
func (t Tally) String() string {
	return blaise.Count(int(t.Sessions), "session") + ", " + blaise.Count(int(t.Events), "event") + ", " +
		blaise.Count(int(t.Files), "file")
}

// Verify reads a SQLite directory whole, on which no process is at work, and
// says what it holds: the databases are sound, every transcript is without a gap
// and has its digest, no notice is missing, every file has its hash. An error
// names the first thing that is wrong.
func Verify(ctx context.Context, dir string) (Tally, error) {
	v := verifier{ctx: ctx}
	defer v.close()
	for _, name := range sqliteFiles {
		if err := v.open(dir, name); err != nil {
			return Tally{}, fmt.Errorf("verify %s: %w", name, err)
		}
	}
	for _, check := range []func() error{v.transcripts, v.notices, v.files} {
		if err := check(); err != nil {
			return Tally{}, fmt.Errorf("verify store: %w", err)
		}
	}
	return v.tally, nil
}

// A verifier reads the three databases of a directory.
type verifier struct {
	ctx   context.Context
	dbs   []querier // in the order of sqliteFiles
	opens []*sql.DB
	tally Tally
}

func (v *verifier) close() {
	for _, db := range v.opens {
		_ = db.Close() // it has read only
	}
}

// open opens a database that SQLite itself finds sound.
func (v *verifier) open(dir, name string) error {
	db, err := sql.Open("sqlite", address(filepath.Join(dir, name), "query_only(1)"))
	if err != nil {
		return err
	}
	v.opens = append(v.opens, db)
	q := querier{ctx: v.ctx, c: db}
	v.dbs = append(v.dbs, q)
	var verdict string
	if _, err := q.one([]any{&verdict}, `PRAGMA integrity_check(1)`); err != nil {
		return err
	}
	if verdict != "ok" {
		return errors.New(verdict)
	}
	return nil
}

// transcripts reads every chunk, in the order of the sessions.
func (v *verifier) transcripts() error {
	at := reel{verifier: v}
	err := v.dbs[1].each(func(row *sql.Rows) error {
		var session string
		var c chunk
		var last int64
		if err := row.Scan(&session, &c.first, &last, &c.run, &c.firstN, &c.body); err != nil {
			return err
		}
		if session != at.session {
			if err := at.end(); err != nil {
				return err
			}
			at = reel{verifier: v, session: session, runs: map[string]*transcript.Digest{}}
		}
		return at.take(c, last)
	}, `SELECT session, first_seq, last_seq, run, first_n, body FROM chunks ORDER BY session, first_seq`)
	if err != nil {
		return err
	}
	return at.end()
}

// A reel is the transcript of one session, as it is read.
type reel struct {
	*verifier
	session string
	last    int64
	runs    map[string]*transcript.Digest
}

func (r *reel) take(c chunk, last int64) error {
	if r.runs[c.run] == nil {
		r.runs[c.run] = &transcript.Digest{}
	}
	digest := r.runs[c.run]
	had, _ := digest.Sum()
	for line := range bytes.SplitSeq(c.body, []byte{'\n'}) {
		digest.Add(line)
	}
	have, _ := digest.Sum()
	if c.first != r.last+1 || c.firstN != had+1 || last != c.first+have-had-1 {
		return fmt.Errorf("transcript of session %s: a gap after event %d", r.session, r.last)
	}
	r.tally.Events += have - had
	r.last = last
	return nil
}

// end compares what was read with what was noted when it was written.
func (r *reel) end() error {
	if r.session == "" {
		return nil
	}
	var last int64
	if _, err := r.dbs[1].one([]any{&last},
		`SELECT last_seq FROM heads WHERE session = ?`, r.session); err != nil {
		return err
	}
	if last != r.last {
		return fmt.Errorf("transcript of session %s: it ends with event %d, want %d",
			r.session, r.last, last)
	}
	for run, digest := range r.runs {
		var want []byte
		if _, err := r.dbs[1].one([]any{&want},
			`SELECT digest FROM records WHERE session = ? AND run = ?`, r.session, run); err != nil {
			return err
		}
		if _, sum := digest.Sum(); sum != hex.EncodeToString(want) {
			return fmt.Errorf("transcript of session %s: the events of run %q have another digest",
				r.session, run)
		}
	}
	return nil
}

// notices sees that every notice of a session is in its transcript, or on its
// way there.
func (v *verifier) notices() error {
	return v.dbs[0].each(func(row *sql.Rows) error {
		var session string
		var sent, carried int64
		if err := row.Scan(&session, &sent); err != nil {
			return err
		}
		v.tally.Sessions++
		_, err := v.dbs[1].one([]any{&carried},
			`SELECT last_n FROM records WHERE session = ? AND run = ''`, session)
		if err == nil && carried < sent {
			err = fmt.Errorf("transcript of session %s: %d notices of %d", session, carried, sent)
		}
		return err
	}, `SELECT id, notices - (SELECT COUNT(*) FROM outbox WHERE session = id) FROM sessions`)
}

// files reads every file that is kept.
func (v *verifier) files() error {
	return v.dbs[2].each(func(row *sql.Rows) error {
		var session, sum, upload string
		if err := row.Scan(&session, &sum, &upload); err != nil {
			return err
		}
		v.tally.Files++
		have := sha256.New()
		err := v.dbs[2].each(func(row *sql.Rows) error {
			var part sql.RawBytes
			err := row.Scan(&part)
			have.Write(part)
			return err
		}, `SELECT bytes FROM blob_parts WHERE upload = ? ORDER BY n`, upload)
		if err == nil && hex.EncodeToString(have.Sum(nil)) != sum {
			err = fmt.Errorf("file %s of session %s is not what it was", sum, session)
		}
		return err
	}, `SELECT session, sha256, upload FROM blobs ORDER BY session, sha256`)
}
