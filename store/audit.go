package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"blaise.dev/blaise"
)

// Audit adds a line to the record of who did what to Blaise itself; its N is
// drawn. No line is ever changed or taken out: the database refuses it.
func (tx *Tx) Audit(a blaise.Audit) error {
	utc(&a.At)
	err := tx.exec(`INSERT INTO audit (author, kind, body) VALUES (?, ?, ?)`, a.By, string(a.Kind), encode(a))
	if err != nil {
		return fmt.Errorf("write audit line %s: %w", a.Kind, err)
	}
	return nil
}

// An AuditFilter chooses lines of the audit record; empty fields choose all.
type AuditFilter struct {
	By     string
	Kind   blaise.AuditKind
	Before int64 // those with a smaller N
	Limit  int
}

// Audits lists lines of the audit record, the latest first.
func (db *DB) Audits(ctx context.Context, f AuditFilter) ([]blaise.Audit, error) {
	conds, args := []string{"1 = 1"}, []any{}
	if f.By != "" {
		conds, args = append(conds, "author = ?"), append(args, clean(f.By))
	}
	if f.Kind != "" {
		conds, args = append(conds, "kind = ?"), append(args, clean(string(f.Kind)))
	}
	if f.Before > 0 {
		conds, args = append(conds, "n < ?"), append(args, f.Before)
	}
	var all []blaise.Audit
	err := db.read(ctx).each(func(row *sql.Rows) error {
		var n int64
		var raw []byte
		if err := row.Scan(&n, &raw); err != nil {
			return err
		}
		var a blaise.Audit
		err := json.Unmarshal(raw, &a)
		a.N = n
		all = append(all, a)
		return err
	}, `SELECT n, body FROM audit WHERE `+strings.Join(conds, " AND ")+` ORDER BY n DESC LIMIT ?`,
		append(args, f.Limit)...)
	if err != nil {
		return nil, fmt.Errorf("list audit lines: %w", err)
	}
	return all, nil
}
