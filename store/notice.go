package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// carryAgain is how long the carrier waits after it failed.
const carryAgain = time.Second

// maxCarried is how many notices are carried over at once.
const maxCarried = 500

// Notice adds a notice of Blaise's own to the session's transcript, as part of
// the transaction. CodeNotFound: there is no such session.
func (tx *Tx) Notice(session blaise.SessionID, n blaise.Notice) error {
	line, err := tx.noticeLine(n)
	if err != nil {
		return err
	}
	// The number keeps the transcript from taking a notice twice.
	var number int64
	found, err := tx.q.one([]any{&number}, `UPDATE sessions SET notices = notices + 1 WHERE id = ?
		RETURNING notices`, string(session))
	if err == nil && !found {
		return notFound("session " + string(session))
	}
	if err == nil {
		err = tx.exec(`INSERT INTO outbox (session, n, event) VALUES (?, ?, ?)`,
			string(session), number, line)
	}
	if err != nil {
		return fmt.Errorf("write notice: %w", err)
	}
	tx.notices = true
	return nil
}

func (tx *Tx) noticeLine(n blaise.Notice) (string, error) {
	data := maps.Clone(n.Data)
	if data == nil {
		data = map[string]any{}
	}
	if n.Text != "" {
		data["text"] = n.Text
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return "", fmt.Errorf("write notice %q: %w", n.Text, err)
	}
	e := transcript.Event{At: tx.db.now(), Kind: transcript.Kind(n.Kind), Data: raw}
	return encode(e), nil
}

// signal tells the carrier that the outbox has new rows.
func (db *DB) signal() {
	select {
	case db.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// carry takes notices from the outbox to the transcript, until ctx ends.
func (db *DB) carry(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-db.wake:
		}
		if err := db.Carry(ctx); err != nil && ctx.Err() == nil {
			db.o.Log.Warn("carry notices over", "error", err)
			retry := time.AfterFunc(carryAgain, db.signal)
			defer retry.Stop()
		}
	}
}

// Carry takes to the transcript the notices that were committed before it was
// called, and returns when they are there. The store does it by itself soon
// after each commit; this is for who cannot wait for soon.
func (db *DB) Carry(ctx context.Context) error {
	db.carrying.Lock()
	defer db.carrying.Unlock()
	for {
		waiting, err := db.outbox(ctx)
		if err != nil {
			return fmt.Errorf("read outbox: %w", err)
		}
		if len(waiting) == 0 {
			return nil
		}
		if err := db.carryThese(ctx, waiting); err != nil {
			return err
		}
	}
}

// A parcel is what waits for one session's transcript, in order.
type parcel struct {
	session blaise.SessionID
	first   int64
	lines   [][]byte
}

func (db *DB) outbox(ctx context.Context) ([]parcel, error) {
	var all []parcel
	err := db.read(ctx).each(func(row *sql.Rows) error {
		var session blaise.SessionID
		var n int64
		var line []byte
		if err := row.Scan(&session, &n, &line); err != nil {
			return err
		}
		if len(all) == 0 || all[len(all)-1].session != session {
			all = append(all, parcel{session: session, first: n})
		}
		p := &all[len(all)-1]
		p.lines = append(p.lines, line)
		return nil
	}, `SELECT session, n, event FROM outbox ORDER BY session, n LIMIT ?`, maxCarried)
	return all, err
}

// carryThese appends first and deletes after. A crash in between leaves rows
// that are appended again, and skipped there by their number.
func (db *DB) carryThese(ctx context.Context, parcels []parcel) error {
	for _, p := range parcels {
		if _, err := db.AppendRaw(ctx, p.session, "", p.first, p.lines); err != nil {
			return fmt.Errorf("append notices of session %s: %w", p.session, err)
		}
	}
	return db.Tx(ctx, func(tx *Tx) error {
		for _, p := range parcels {
			err := tx.exec(`DELETE FROM outbox WHERE session = ? AND n >= ? AND n <= ?`,
				string(p.session), p.first, p.first+int64(len(p.lines))-1)
			if err != nil {
				return fmt.Errorf("clear outbox of session %s: %w", p.session, err)
			}
		}
		return nil
	})
}
