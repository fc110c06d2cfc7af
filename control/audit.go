package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/near"
	"blaise.dev/blaise/store"

	"golang.org/x/time/rate"
)

// audited runs fn in a transaction together with the line that says that it was
// done. fn may fill the line in, and empties its Kind where nothing was done.
// An act that the state of things refuses leaves a line of its own.
func (c *Control) audited(
	ctx context.Context, line blaise.Audit, fn func(tx *store.Tx, line *blaise.Audit) error,
) error {
	line.At, line.Outcome = c.now(), blaise.AuditDone
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		done := line // fn may run again
		if err := fn(tx, &done); err != nil || done.Kind == "" {
			return err
		}
		return tx.Audit(done)
	})
	if err == nil || blaise.CodeOf(err) != blaise.CodeRefused {
		return err
	}
	line.Outcome, line.Detail = blaise.AuditRefused, reasonOf(err)
	if werr := c.db.Tx(ctx, func(tx *store.Tx) error { return tx.Audit(line) }); werr != nil {
		return errors.Join(err, werr)
	}
	return err
}

// reasonOf is an error without what to do about it.
func reasonOf(err error) string {
	var e *blaise.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// Audits lists who did what to Blaise itself, the latest first. CodeInvalid:
// there is no such kind.
func (c *Control) Audits(ctx context.Context, f store.AuditFilter) ([]blaise.Audit, error) {
	kinds := blaise.AuditKinds()
	if f.Kind != "" && !slices.Contains(kinds, f.Kind) {
		var names []string
		for _, k := range kinds {
			names = append(names, string(k))
		}
		return nil, blaise.Errorf(blaise.CodeInvalid, "no act is called %q%s", f.Kind,
			near.DidYouMean(string(f.Kind), names)).WithHint("one of %s", strings.Join(names, ", "))
	}
	return c.db.Audits(ctx, f)
}

// A guard bounds how many lines failed sign-ins leave, which anybody can cause:
// those in between are counted into the next line.
type guard struct {
	mu     sync.Mutex
	rate   *rate.Limiter // over what is below, too
	missed int
}

// failedAtOnce and failedEvery are how many failed sign-ins have a line each.
const (
	failedAtOnce = 20
	failedEvery  = time.Minute
)

func newGuard() *guard { return &guard{rate: rate.NewLimiter(rate.Every(failedEvery), failedAtOnce)} }

// pass says whether a failure gets a line, and how many before it got none.
func (g *guard) pass(now time.Time) (missed int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.rate.AllowN(now, 1) {
		g.missed++
		return 0, false
	}
	missed, g.missed = g.missed, 0
	return missed, true
}

// SignInFailed keeps that somebody was not signed in: from where, and why. who
// is "" where nobody knows.
func (c *Control) SignInFailed(ctx context.Context, who, from string, why error) error {
	missed, ok := c.failed.pass(c.now())
	if !ok {
		return nil
	}
	detail := from + ": " + reasonOf(why)
	if missed > 0 {
		detail += fmt.Sprintf(" (and %s since the line before)", blaise.Count(missed, "other"))
	}
	return c.db.Tx(ctx, func(tx *store.Tx) error {
		return tx.Audit(blaise.Audit{
			At: c.now(), Kind: blaise.AuditUserSignedIn, Thing: who, Outcome: blaise.AuditRefused, Detail: detail,
		})
	})
}
