package daemon

import "sync/atomic"

// A tally counts what a daemon has done since it was started.
type tally struct {
	polls, pollErrors                      atomic.Int64
	accepted, refused, unstarted, adopted  atomic.Int64
	ended, failed, fenced, inventoryErrors atomic.Int64
	orphaned                               atomic.Int64 // not a count: of the last inventory
}
