package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// errClosed answers what comes after Close.
var errClosed = errors.New("store is closed")

// A lane carries out writes, each in a transaction or savepoint of its own.
type lane interface {
	// do runs fn and returns after its writes were committed, or with fn's
	// error after they were undone. When ctx ends before fn began, fn does
	// not run; after that, do waits for the commit.
	do(ctx context.Context, fn func(q querier) error) error
}

// A writer is the lane of one SQLite file: one goroutine, one connection.
// Callers that come while it commits share its next transaction.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	jobs  chan *job
	done  chan struct{} // closed when the goroutine has ended

	mu     sync.RWMutex // guards closed, and jobs against a send after its close
	closed bool
}

// maxShared is how many callers share a transaction. 32 reach 90 % of what a
// disk gives; more only make the first of them wait.
const maxShared = 64

// A job is one caller's turn with the writer. The function runs in the
// caller's goroutine while the writer waits, so that a panic or a
// runtime.Goexit in it is the caller's own.
type job struct {
	taken atomic.Bool // by the writer, or by a caller that gave up
	turn  chan turn
	ran   chan error // what fn answered
	over  chan error // how the transaction ended
}

// A turn is the writer's connection, lent, or why it is not.
type turn struct {
	q   querier
	err error
}

func newWriter(conn *sql.Conn) *writer {
	w := &writer{
		conn: conn, stmts: map[string]*sql.Stmt{},
		jobs: make(chan *job, maxShared), done: make(chan struct{}),
	}
	go w.run() // close waits for it
	return w
}

func (w *writer) do(ctx context.Context, fn func(q querier) error) error {
	j := &job{turn: make(chan turn, 1), ran: make(chan error, 1), over: make(chan error, 1)}
	if err := w.send(ctx, j); err != nil {
		return err
	}
	select {
	case t := <-j.turn:
		return told(j.run(t, fn))
	case <-ctx.Done():
		if j.taken.CompareAndSwap(false, true) {
			return context.Cause(ctx)
		}
		return told(j.run(<-j.turn, fn))
	}
}

// run runs fn and waits for the commit. A fn that does not return (panic,
// Goexit) leaves nothing behind.
func (j *job) run(t turn, fn func(q querier) error) error {
	if t.err != nil {
		return t.err
	}
	returned := false
	defer func() {
		if !returned {
			j.ran <- errors.New("transaction did not return")
			<-j.over
		}
	}()
	err := fn(t.q)
	returned = true
	j.ran <- err
	return <-j.over
}

func (w *writer) send(ctx context.Context, j *job) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.jobs <- j:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close lets those in line finish and gives the connection back.
func (w *writer) close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.jobs)
	}
	w.mu.Unlock()
	<-w.done
	for _, st := range w.stmts {
		_ = st.Close()
	}
	return w.conn.Close()
}

func (w *writer) run() {
	defer close(w.done)
	for first := range w.jobs {
		w.transaction(first)
	}
}

// transaction carries out first and all that wait behind it. An error that
// took the whole transaction with it ends it for those before, and leaves
// those behind for the next.
func (w *writer) transaction(first *job) {
	// Never a caller's context: one that ended rolled the others back.
	q := querier{ctx: context.Background(), c: w.conn, stmts: w.stmts}
	if _, err := q.exec("BEGIN IMMEDIATE"); err != nil {
		w.refuse(first, fmt.Errorf("begin transaction: %w", err))
		return
	}
	var kept []*job
	var err error
	for j, n := first, 1; j != nil; n++ {
		var keep bool
		if keep, err = w.turn(q, j); keep {
			kept = append(kept, j)
		}
		if err != nil || n == maxShared {
			break
		}
		j = w.waiting()
	}
	err = w.finish(q, err)
	for _, j := range kept {
		j.over <- err
	}
}

// finish commits, or after broken clears what is left of the transaction.
func (w *writer) finish(q querier, broken error) error {
	if broken == nil {
		_, err := q.exec("COMMIT")
		if err == nil {
			return nil
		}
		broken = fmt.Errorf("commit: %w", err)
	}
	// No error is news here: most that break a transaction have ended it.
	_, _ = q.exec("ROLLBACK")
	return broken
}

// waiting is the next in line, nil for none.
func (w *writer) waiting() *job {
	select {
	case j := <-w.jobs: // nil after close
		return j
	default:
		return nil
	}
}

// turn lets a caller write in a savepoint and says whether that is kept. An
// error means that the transaction itself is broken.
func (w *writer) turn(q querier, j *job) (bool, error) {
	if !j.taken.CompareAndSwap(false, true) {
		return false, nil
	}
	if _, err := q.exec("SAVEPOINT caller"); err != nil {
		err = fmt.Errorf("begin savepoint: %w", err)
		j.turn <- turn{err: err}
		return false, err
	}
	j.turn <- turn{q: q}
	err := <-j.ran
	if err == nil {
		_, err = q.exec("RELEASE caller")
	}
	if err == nil {
		return true, nil
	}
	broken := w.undo(q)
	j.over <- join(err, broken)
	return false, broken
}

// join keeps err as it is when there is nothing to add: callers compare it.
func join(err, more error) error {
	if more == nil {
		return err
	}
	return errors.Join(err, more)
}

func (w *writer) undo(q querier) error {
	if _, err := q.exec("ROLLBACK TO caller"); err != nil {
		return fmt.Errorf("roll back to savepoint: %w", err)
	}
	if _, err := q.exec("RELEASE caller"); err != nil {
		return fmt.Errorf("release savepoint: %w", err)
	}
	return nil
}

// refuse answers a caller whose function cannot be run.
func (w *writer) refuse(j *job, err error) {
	if j.taken.CompareAndSwap(false, true) {
		j.turn <- turn{err: err}
	}
}
