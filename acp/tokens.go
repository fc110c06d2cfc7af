package acp

import "encoding/json"

// Tokens is what an agent counted in a turn, 0 where it did not say. The shape
// is unstable in the protocol, and agents differ in what they count.
type Tokens struct {
	Input, Output, CachedRead, CachedWrite, Thought, Total int64
}

// TokensOf reads PromptResult.Usage. A total that the agent leaves out is the
// sum of the rest.
func TokensOf(usage json.RawMessage) Tokens {
	t := Tokens{
		Input:       integer(field(usage, "inputTokens")),
		Output:      integer(field(usage, "outputTokens")),
		CachedRead:  integer(field(usage, "cachedReadTokens")),
		CachedWrite: integer(field(usage, "cachedWriteTokens")),
		Thought:     integer(field(usage, "thoughtTokens")),
		Total:       integer(field(usage, "totalTokens")),
	}
	if t.Total == 0 {
		t.Total = t.Input + t.Output + t.CachedRead + t.CachedWrite + t.Thought
	}
	return t
}
