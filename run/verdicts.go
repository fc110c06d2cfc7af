package run

import (
	"fmt"
	"strings"
	"sync"

	"blaise.dev/blaise/acp"
)

// verdicts count what became of the agent's requests for permission in a turn.
// One in which every request was denied may end like any other: it must be
// visible as such (R23). It is safe for concurrent use.
type verdicts struct {
	mu              sync.Mutex // guards what follows
	allowed, denied int
}

func (v *verdicts) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.allowed, v.denied = 0, 0
}

// take notes the answer to p; "" is no answer.
func (v *verdicts) take(p acp.PermissionRequest, choice string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, o := range p.Options {
		if o.ID == choice && strings.HasPrefix(o.Kind, "allow") {
			v.allowed++
			return
		}
	}
	v.denied++
}

// allDenied says so, "" if it is not so.
func (v *verdicts) allDenied() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.denied == 0 || v.allowed > 0:
		return ""
	case v.denied == 1:
		return "the one thing the agent asked for was denied"
	}
	return fmt.Sprintf("all %d things the agent asked for were denied", v.denied)
}
