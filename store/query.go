package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"blaise.dev/blaise"
)

// A querier runs queries written with `?` on one connection, transaction or
// pool. It carries the context of whom it works for: the writer's in a
// transaction, so that a caller that gives up cannot roll the others back.
type querier struct {
	ctx   context.Context
	c     conn
	d     dialect
	stmts map[string]*sql.Stmt // prepared on c; nil where the driver does it
}

type conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
}

// exec runs a statement and says how many rows it changed.
func (q querier) exec(query string, args ...any) (int64, error) {
	st, err := q.prepared(query)
	if err != nil {
		return 0, err
	}
	var res sql.Result
	if st != nil {
		res, err = st.ExecContext(q.ctx, args...)
	} else {
		res, err = q.c.ExecContext(q.ctx, q.d.rebind(query), args...)
	}
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// each runs a query and calls scan for every row.
func (q querier) each(scan func(row *sql.Rows) error, query string, args ...any) error {
	rows, err := q.query(query, args)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// one runs a query and scans its first row; false if there is none.
func (q querier) one(dest []any, query string, args ...any) (bool, error) {
	found := false
	err := q.each(func(row *sql.Rows) error {
		if found {
			return nil
		}
		found = true
		return row.Scan(dest...)
	}, query, args...)
	return found && err == nil, err
}

func (q querier) query(query string, args []any) (*sql.Rows, error) {
	st, err := q.prepared(query)
	if err != nil {
		return nil, err
	}
	if st != nil {
		return st.QueryContext(q.ctx, args...)
	}
	return q.c.QueryContext(q.ctx, q.d.rebind(query), args...)
}

func (q querier) prepared(query string) (*sql.Stmt, error) {
	if q.stmts == nil {
		return nil, nil
	}
	if st, ok := q.stmts[query]; ok {
		return st, nil
	}
	st, err := q.c.PrepareContext(q.ctx, q.d.rebind(query))
	if err != nil {
		return nil, fmt.Errorf("prepare statement: %w", err)
	}
	q.stmts[query] = st
	return st, nil
}

// bodies collects rows of one column, each a T as JSON.
func bodies[T any](q querier, query string, args ...any) ([]T, error) {
	var all []T
	err := q.each(func(row *sql.Rows) error {
		var raw []byte
		if err := row.Scan(&raw); err != nil {
			return err
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return fmt.Errorf("read %T: %w", v, err)
		}
		all = append(all, v)
		return nil
	}, query, args...)
	return all, err
}

// body reads the first row of [bodies]; false if there is none.
func body[T any](q querier, query string, args ...any) (v T, found bool, err error) {
	all, err := bodies[T](q, query, args...)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// need is [body] for a row that must be there: CodeNotFound says what is not.
func need[T any](q querier, what, query string, args ...any) (T, error) {
	v, found, err := body[T](q, query, args...)
	if err == nil && !found {
		return v, notFound(what)
	}
	return v, err
}

func notFound(what string) error {
	return blaise.Errorf(blaise.CodeNotFound, "%s: not found", what)
}

func isNotFound(err error) bool {
	var e *blaise.Error
	return errors.As(err, &e) && e.Code == blaise.CodeNotFound
}

// encode gives a row's body. It cannot fail for the types of this package.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("store: " + err.Error())
	}
	return string(b)
}

// nanos is how a time stands in a column.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// utc makes times fit to be kept.
func utc(times ...*time.Time) {
	for _, t := range times {
		*t = t.UTC()
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// clean makes a text fit for a column: PostgreSQL takes no NUL and no broken
// UTF-8. Bodies need it not, JSON escapes both.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
