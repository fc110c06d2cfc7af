package daemon_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"blaise.dev/blaise/daemon"
)

// After a restart of Blaise everybody is back within a quarter of the outage,
// and not all at once; a long outage is asked about now and then.
func TestPause(t *testing.T) {
	t.Parallel()
	const fleet = 400
	for _, c := range []struct{ outage, within time.Duration }{
		{2 * time.Second, time.Second}, {20 * time.Second, 5 * time.Second}, {time.Hour, 30 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			var late, tries [fleet]int // the tenth of the time allowed in which each came back
			var all sync.WaitGroup
			for i := range fleet {
				all.Go(func() {
					for time.Since(began) < c.outage {
						tries[i]++
						if daemon.Pause(t.Context(), time.Since(began)) != nil {
							return
						}
					}
					late[i] = int((time.Since(began) - c.outage) * 10 / c.within)
				})
			}
			all.Wait()
			var at [10]int
			for i := range fleet {
				if late[i] >= len(at) {
					t.Fatalf("an outage of %s: back after more than %s", c.outage, c.within)
				}
				at[late[i]]++
				if most := 60 + int(c.outage.Minutes())*6; tries[i] > most {
					t.Errorf("an outage of %s: %d tries, want at most %d", c.outage, tries[i], most)
				}
			}
			for _, n := range at {
				if n > fleet/2 {
					t.Errorf("an outage of %s: they come back together: %v", c.outage, at)
				}
			}
		})
	}
}
