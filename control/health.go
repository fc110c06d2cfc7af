package control

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// What may be wrong with a control plane, in words that anybody may read.
var (
	ErrStore  = errors.New("the store does not answer")
	ErrFull   = store.ErrFull
	ErrClocks = errors.New("nobody looks at the clocks")
)

// Full is ErrFull for who asked for what could not be written.
func Full() *blaise.Error {
	return blaise.Errorf(blaise.CodeUnreachable, "%v: nothing was written", ErrFull).
		WithHint("make room on the machine of Blaise, then try again")
}

// clocksWithin is how long the sweeper may look away: it sleeps for sweepMost,
// and one look may have much to fire.
const clocksWithin = 4 * sweepMost

// Healthy answers nil if decisions can be made and clocks fire; else the error
// is ErrStore, ErrFull or ErrClocks, with its cause.
func (c *Control) Healthy(ctx context.Context) error {
	if err := c.db.Ping(ctx); errors.Is(err, ErrFull) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w: %w", ErrStore, err)
	}
	if d := c.sweep.silent(); d > clocksWithin {
		return fmt.Errorf("%w for %s", ErrClocks, d.Round(time.Second))
	}
	return nil
}
