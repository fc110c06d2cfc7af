package store

import (
	"context"

	"blaise.dev/blaise"
)

// A Tx is one transaction of the decision lane. It is used by the function
// given to [DB.Tx] alone, and not after it has returned.
type Tx struct {
	q       querier
	db      *DB
	writes  int  // rows written or deleted
	notices bool // the outbox has new rows
}

// Tx runs fn in a transaction and returns after it was committed, or with fn's
// error after it was rolled back. fn does no I/O of its own, waits for
// nothing (least of all for another Tx), and may run again. When ctx ends
// before fn began, fn does not run.
func (db *DB) Tx(ctx context.Context, fn func(tx *Tx) error) error {
	notices := false
	err := db.decisions.do(ctx, func(q querier) error {
		tx := &Tx{q: q, db: db}
		err := fn(tx)
		notices = tx.notices
		return err
	})
	if err == nil && notices {
		db.signal()
	}
	return err
}

// exec writes.
func (tx *Tx) exec(query string, args ...any) error {
	n, err := tx.q.exec(query, args...)
	tx.writes += int(n)
	return err
}

// Answer finds the answer that a run's nth report got.
func (tx *Tx) Answer(run blaise.RunID, n int64) (answer []byte, found bool, err error) {
	found, err = tx.q.one([]any{&answer},
		`SELECT answer FROM answers WHERE run = ? AND n = ?`, string(run), n)
	return answer, found, err
}

// KeepAnswer keeps the answer to a run's nth report; the first one stays.
func (tx *Tx) KeepAnswer(run blaise.RunID, n int64, answer []byte) error {
	if answer == nil {
		answer = []byte{}
	}
	return tx.exec(`INSERT INTO answers (run, n, answer) VALUES (?, ?, ?)
		ON CONFLICT (run, n) DO NOTHING`, string(run), n, answer)
}
