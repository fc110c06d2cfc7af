package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"blaise.dev/blaise"
)

// The states of a directive.
const (
	DirectiveOpen     = "open"
	DirectiveReceived = "received"
	DirectiveVoid     = "void"
)

func (tx *Tx) writeDirectives(_ blaise.Snapshot, plan blaise.Plan) error {
	id := string(plan.Next.Session.ID)
	for _, d := range plan.Issue {
		utc(&d.IssuedAt)
		err := tx.exec(`INSERT INTO directives (session, n, run, state, verdict, body)
			VALUES (?, ?, ?, ?, '', ?)`, id, d.N, string(d.Run), DirectiveOpen, encode(d))
		if err != nil {
			return fmt.Errorf("issue directive %d: %w", d.N, err)
		}
	}
	for _, n := range plan.Void {
		err := tx.exec(`UPDATE directives SET state = ?, verdict = ?
			WHERE session = ? AND n = ? AND state = ?`,
			DirectiveVoid, string(blaise.VerdictVoid), id, n, DirectiveOpen)
		if err != nil {
			return fmt.Errorf("take directive %d back: %w", n, err)
		}
	}
	return nil
}

// Received notes that a run has received a directive and what it was told.
// CodeRefused: it is not open; a second receipt with the same verdict is none.
func (tx *Tx) Received(run blaise.RunID, n int64, verdict blaise.Verdict) error {
	changed, err := tx.q.exec(`UPDATE directives SET state = ?, verdict = ?
		WHERE session = ? AND n = ? AND run = ? AND state = ?`,
		DirectiveReceived, string(verdict), string(run.Session()), n, string(run), DirectiveOpen)
	if err != nil || changed > 0 {
		return err
	}
	d, state, told, err := tx.Directive(run.Session(), n)
	if err != nil {
		return err
	}
	if d.Run == run && state == DirectiveReceived && told == verdict {
		return nil
	}
	return blaise.Errorf(blaise.CodeRefused, "directive %d of run %s is %s", n, d.Run, state)
}

// Directive reads a directive, its state and the verdict that its receipt got.
// CodeNotFound.
func (tx *Tx) Directive(session blaise.SessionID, n int64) (
	d blaise.Directive, state string, verdict blaise.Verdict, err error,
) {
	var raw []byte
	found, err := tx.q.one([]any{&state, &verdict, &raw},
		`SELECT state, verdict, body FROM directives WHERE session = ? AND n = ?`,
		string(session), n)
	if err == nil && !found {
		err = notFound(fmt.Sprintf("directive %d of session %s", n, session))
	}
	if err == nil {
		err = json.Unmarshal(raw, &d)
	}
	return d, state, verdict, err
}

func openDirectives(q querier, run blaise.RunID) ([]blaise.Directive, error) {
	return bodies[blaise.Directive](q,
		`SELECT body FROM directives WHERE run = ? AND state = ? ORDER BY n`,
		string(run), DirectiveOpen)
}

// LastDirective is the number of the session's last directive, 0 for none.
func (db *DB) LastDirective(ctx context.Context, session blaise.SessionID) (int64, error) {
	var last int64
	_, err := db.read(ctx).one([]any{&last},
		`SELECT COALESCE(MAX(n), 0) FROM directives WHERE session = ?`, clean(string(session)))
	return last, err
}

// Directives lists the run's directives with a number above after, in order:
// those it has not received, and the numbers of those taken back.
func (db *DB) Directives(
	ctx context.Context, run blaise.RunID, after int64,
) (open []blaise.Directive, void []int64, err error) {
	err = db.read(ctx).each(func(row *sql.Rows) error {
		var state string
		var raw []byte
		if err := row.Scan(&state, &raw); err != nil {
			return err
		}
		var d blaise.Directive
		if err := json.Unmarshal(raw, &d); err != nil {
			return err
		}
		if state == DirectiveOpen {
			open = append(open, d)
		} else {
			void = append(void, d.N)
		}
		return nil
	}, `SELECT state, body FROM directives WHERE run = ? AND state IN (?, ?) AND n > ? ORDER BY n`,
		string(run), DirectiveOpen, DirectiveVoid, after)
	return open, void, err
}
