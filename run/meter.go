package run

import (
	"sync"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
)

// A meter turns what an agent says its conversation has cost so far into what a
// turn has cost. An agent may begin to count anew, when it is started again for
// instance: less than before is all new. It is safe for concurrent use.
type meter struct {
	mu       sync.Mutex // guards what follows
	total    float64    // as the agent said last
	turn     float64
	currency string
	changed  bool // total is not what was reported
}

func newMeter(total float64) *meter { return &meter{total: total} }

// take notes a usage_update. Between processes, while a conversation is taken
// up, the agent only says where it stands.
func (m *meter) take(u acp.Update, standing bool) {
	use, ok := u.Usage()
	if !ok || !use.HasCost {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case standing:
	case use.Cost >= m.total:
		m.turn += use.Cost - m.total
	default:
		m.turn += use.Cost
	}
	m.changed = m.changed || m.total != use.Cost
	m.total, m.currency = use.Cost, use.Currency
}

// begin is a new conversation: it has cost nothing.
func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total, m.changed = 0, true
}

// end gives what the turn has cost.
func (m *meter) end() (cost float64, currency string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	cost, m.turn = m.turn, 0
	return cost, m.currency
}

// kept is the total, to be kept with the conversation.
func (m *meter) kept() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = false
	return m.total
}

func (m *meter) news() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

// usage is what the turn has used, as far as the agent tells; nil if it does
// not.
func (t *turn) usage() *blaise.Usage {
	tokens := acp.TokensOf(t.result.Usage)
	u := blaise.Usage{
		Input: tokens.Input, Output: tokens.Output, CachedRead: tokens.CachedRead,
		CachedWrite: tokens.CachedWrite, Thought: tokens.Thought, Total: tokens.Total,
	}
	u.Cost, u.Currency = t.c.meter.end()
	u.ContextUsed, u.ContextSize = t.c.status.use()
	if u == (blaise.Usage{}) {
		return nil
	}
	return &u
}
