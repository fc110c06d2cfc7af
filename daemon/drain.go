package daemon

import (
	"context"
	"syscall"
	"time"

	"blaise.dev/blaise/api"
)

// DrainTimeout is how long a drain leaves turns open when nobody says.
const DrainTimeout = 30 * time.Minute

// drainAgain is how often Blaise is asked again: for runs that were accepted
// when it was asked first.
const drainAgain = 10 * time.Second

// drainAlone is how long a drain waits for a Blaise that does not answer: as
// long as its restart may take, and no machine is kept from going down by it.
const drainAlone = 2 * time.Minute

// Drain takes the instance out of service (X11): the daemon takes nothing more,
// Blaise stops the runs so that their sessions can be resumed, and Run returns
// when they have ended. Turns that are open after the timeout are cancelled.
func (d *Daemon) Drain(timeout time.Duration) {
	select {
	case d.drain <- timeout:
	default: // asked already
	}
}

// askDrain has Blaise stop the runs, until there is none. Without Blaise it
// pauses them itself: what they have to say waits for the next daemon.
func (d *Daemon) askDrain(ctx context.Context, timeout time.Duration) {
	until := time.Now().Add(timeout)
	d.log.Info("draining", "timeout", timeout)
	for {
		ask := api.Drain{Instance: d.state.instance, Boot: d.state.boot, Timeout: max(0, time.Until(until))}
		patience := max(time.Millisecond, min(drainAlone, ask.Timeout))
		err := persist(ctx, patience, func() error { _, err := d.blaise().Drain(ctx, ask); return err })
		switch {
		case err == nil || ctx.Err() != nil:
		case settled(err):
			d.log.Warn("Blaise does not drain; the runs go on until they end", "error", err)
			return
		default:
			d.log.Warn("Blaise cannot be asked to drain; the runs are paused without it", "error", err)
			d.signalAll(syscall.SIGUSR1)
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
