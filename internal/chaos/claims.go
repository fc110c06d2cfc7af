package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"blaise.dev/blaise"
)

// claims is what the wire has seen Blaise grant: leases and turns. It is safe
// for concurrent use.
type claims struct {
	began time.Time
	mu    sync.Mutex // guards all
	all   map[blaise.SessionID][]porcupine.Operation
}

// A grant is one request that Blaise has granted to a run.
type grant struct {
	lease bool // a lease, else a turn
	fence int
}

func newClaims() *claims {
	return &claims{began: time.Now(), all: map[blaise.SessionID][]porcupine.Operation{}}
}

// add notes that Blaise granted what was asked at a time, and answered now.
func (c *claims) add(lease bool, run blaise.RunID, called time.Time) {
	c.addSpan(lease, run, called, time.Now())
}

func (c *claims) addSpan(lease bool, run blaise.RunID, called, answered time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := run.Session()
	c.all[id] = append(c.all[id], porcupine.Operation{
		ClientId: len(c.all[id]), Input: grant{lease: lease, fence: run.Fence()},
		Call: int64(called.Sub(c.began)), Return: int64(answered.Sub(c.began)),
	})
}

// fencing is a session as a register that holds the fencing number of the one
// run that may work: a lease moves it up, and a turn is granted to its holder
// alone. What was refused says nothing and is not in the history.
var fencing = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, _ any) (bool, any) {
		held, g := state.(int), input.(grant)
		if g.lease {
			return g.fence >= held, max(held, g.fence)
		}
		return g.fence == held, held
	},
	DescribeOperation: func(input, _ any) string {
		g := input.(grant)
		if g.lease {
			return fmt.Sprintf("lease %d", g.fence)
		}
		return fmt.Sprintf("turn by %d", g.fence)
	},
}

// check says whether there is an order of the grants of a session in which
// never two runs held its lease.
func (c *claims) check(id blaise.SessionID) error {
	c.mu.Lock()
	history := c.all[id]
	c.mu.Unlock()
	if porcupine.CheckOperationsTimeout(fencing, history, 10*time.Second) != porcupine.Illegal {
		return nil
	}
	text := ""
	for _, op := range history {
		text += fmt.Sprintf(" [%s %d-%d ms]", fencing.DescribeOperation(op.Input, nil), op.Call/1e6, op.Return/1e6)
	}
	return fmt.Errorf("two runs held the lease: the grants are not linearizable:%s", text)
}
