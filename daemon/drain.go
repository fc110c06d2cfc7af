package daemon

import (
	"context"
	"time"

	"blaise.dev/blaise/api"
)

// DrainTimeout is how long a drain leaves turns open when nobody says.
const DrainTimeout = 30 * time.Minute

// drainAgain is how often Blaise is asked again: for runs that were accepted
// when it was asked first.
const drainAgain = 10 * time.Second

// Drain takes the instance out of service (X11): the daemon takes nothing more,
// Blaise stops the runs so that their sessions can be resumed, and Run returns
// when they have ended. Turns that are open after the timeout are cancelled.
func (d *Daemon) Drain(timeout time.Duration) {
	select {
	case d.drain <- timeout:
	default: // asked already
	}
}

// askDrain has Blaise stop the runs, until there is none.
func (d *Daemon) askDrain(ctx context.Context, timeout time.Duration) {
	until := time.Now().Add(timeout)
	d.log.Info("draining", "timeout", timeout)
	for {
		ask := api.Drain{Instance: d.state.instance, Boot: d.state.boot, Timeout: max(0, time.Until(until))}
		err := persist(ctx, 0, func() error { _, err := d.blaise().Drain(ctx, ask); return err })
		if err != nil && ctx.Err() == nil {
			d.log.Warn("Blaise does not drain; the runs go on until they end", "error", err)
			return
		}
		if n, _, _ := d.live(); n == 0 {
			return
		}
		select {
		case <-time.After(drainAgain):
		case <-ctx.Done():
			return
		}
	}
}
