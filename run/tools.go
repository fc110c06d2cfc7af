package run

import (
	"slices"
	"sync"

	"blaise.dev/blaise/acp"
)

// openTools are the tool calls of the turn that have not ended. Some agents
// never end one that was cancelled or refused, and one that died cannot: the
// end of the turn says which. It is safe for concurrent use.
type openTools struct {
	mu    sync.Mutex // guards what follows
	ids   []string
	calls map[string]acp.ToolCall // what was told of each
	spoke bool                    // the agent has said something in the turn
}

func (o *openTools) take(u acp.Update) {
	if u.Kind == acp.KindAgentChunk {
		o.mu.Lock()
		o.spoke = true
		o.mu.Unlock()
		return
	}
	t, ok := u.ToolCall()
	if !ok || t.ID == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tell(t)
	i := slices.Index(o.ids, t.ID)
	switch {
	case t.Final() && i >= 0:
		o.ids = slices.Delete(o.ids, i, i+1)
	case !t.Final() && i < 0 && u.Kind == acp.KindToolCall:
		o.ids = append(o.ids, t.ID)
	}
}

func (o *openTools) tell(t acp.ToolCall) {
	if t.Final() {
		delete(o.calls, t.ID)
		return
	}
	if o.calls == nil {
		o.calls = map[string]acp.ToolCall{}
	}
	o.calls[t.ID] = o.calls[t.ID].Merge(t)
}

// whole is a call with what the agent told of it before it asked.
func (o *openTools) whole(t acp.ToolCall) acp.ToolCall {
	o.mu.Lock()
	defer o.mu.Unlock()
	known := o.calls[t.ID].Merge(t)
	known.Raw = t.Raw
	return known
}

// begin forgets what was open, at the beginning of a turn.
func (o *openTools) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ids, o.calls, o.spoke = nil, nil, false
}

// end gives what is open at the end of a turn.
func (o *openTools) end() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.ids)
}

func (o *openTools) silent() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.spoke
}
