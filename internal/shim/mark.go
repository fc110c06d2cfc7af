//go:build unix

package shim

import (
	"crypto/rand"
	"sync"
	"sync/atomic"
)

// markVariable is in the environment of a shim and all that it starts, as
// MARK/NONCE/: the mark is the run's, the nonce the shim's own. Who has lost
// the shim finds by it what the shim has left.
const markVariable = "BLAISE_MARK"

// newMark is a mark of one shim; without a mark of the run it has its own alone.
func newMark(run string) string {
	if run == "" {
		return rand.Text()
	}
	return run + "/" + rand.Text()
}

// children are the shims that this process has started and not reaped yet:
// nobody else may reap them.
var children sync.Map

// lost says that some shim of this process did not end by itself.
var lost atomic.Bool

func ours(pid int) bool {
	_, ok := children.Load(pid)
	return ok
}
