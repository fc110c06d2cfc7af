package daemon

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// errPaused says that a pause was cut short.
var errPaused = errors.New("paused")

// The longest wait between two tries, when Blaise has just gone and at most.
const (
	firstWait = 200 * time.Millisecond
	lastWait  = 30 * time.Second
)

// longestWait is the longest wait before another try, when Blaise has been away
// for so long: a quarter of that. So whoever waited for a restart of 20 seconds
// is back within 5, and a long outage is asked about twice a minute.
func longestWait(away time.Duration) time.Duration {
	return max(firstWait, min(away/4, lastWait))
}

// pause waits before another try. What it waits is drawn from the whole of what
// it may, so that a fleet does not come back all at once.
func pause(ctx context.Context, away time.Duration) error {
	const least = firstWait / 4 // one that draws next to nothing must not spin
	t := time.NewTimer(least + rand.N(longestWait(away)-least))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return errors.Join(errPaused, context.Cause(ctx))
	}
}
