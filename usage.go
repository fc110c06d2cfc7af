package blaise

import (
	"fmt"
	"strings"
)

// A Usage is what turns have used, as the agent tells it: nobody else knows.
// A zero says that the agent did not tell.
type Usage struct {
	Input       int64   `json:"input_tokens,omitempty"`
	Output      int64   `json:"output_tokens,omitempty"`
	CachedRead  int64   `json:"cached_read_tokens,omitempty"`
	CachedWrite int64   `json:"cached_write_tokens,omitempty"`
	Thought     int64   `json:"thought_tokens,omitempty"`
	Total       int64   `json:"total_tokens,omitempty"`
	ContextUsed int64   `json:"context_used,omitempty"` // at the end of the last turn
	ContextSize int64   `json:"context_size,omitempty"`
	Cost        float64 `json:"cost,omitempty"`
	Currency    string  `json:"currency,omitempty"`
}

// Plus is u after one more turn. Costs in different currencies are not added:
// the latest one counts from there.
func (u Usage) Plus(turn Usage) Usage {
	u.Input += turn.Input
	u.Output += turn.Output
	u.CachedRead += turn.CachedRead
	u.CachedWrite += turn.CachedWrite
	u.Thought += turn.Thought
	u.Total += turn.Total
	if turn.ContextSize > 0 || turn.ContextUsed > 0 {
		u.ContextUsed, u.ContextSize = turn.ContextUsed, turn.ContextSize
	}
	if turn.Currency != "" && turn.Currency != u.Currency {
		u.Cost, u.Currency = 0, turn.Currency
	}
	u.Cost += turn.Cost
	return u
}

// Words say what was used, "" for nothing that is known. The currency in them
// is the agent's own word: who shows it makes it harmless.
func (u Usage) Words() string {
	var parts []string
	add := func(n int64, what string) {
		if n > 0 {
			parts = append(parts, TokenCount(n)+" "+what)
		}
	}
	add(u.Total, "tokens")
	add(u.Input, "in")
	add(u.Output, "out")
	add(u.CachedRead+u.CachedWrite, "cached")
	add(u.Thought, "thought")
	if u.ContextSize > 0 {
		parts = append(parts, fmt.Sprintf("context %s of %s", TokenCount(u.ContextUsed), TokenCount(u.ContextSize)))
	}
	if u.Cost > 0 {
		parts = append(parts, u.Price())
	}
	return strings.Join(parts, ", ")
}

// Price is the cost with its currency, "" for none that is known.
func (u Usage) Price() string {
	if u.Cost == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g %s", u.Cost, u.Currency))
}

// TokenCount is a number of tokens as people say it: 950, 12.5k, 3.1M, 1.2B.
func TokenCount(n int64) string {
	switch { // of three digits, 999.5 is a thousand
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 999_500:
		return fmt.Sprintf("%.3gk", float64(n)/1e3)
	case n < 999_500_000:
		return fmt.Sprintf("%.3gM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.3gB", float64(n)/1e9)
}
