package main

import (
	"fmt"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// printUsage shows what the turns have used, as far as the agent tells.
func (a *app) printUsage(s api.Session) {
	if text := usageText(s.Usage); text != "" {
		a.field("used", "%s", text)
	}
	b := s.Budget
	active := time.Duration(b.ActiveSeconds.Used) * time.Second
	a.field("budget", "%s, %s tokens, %s active", blaise.Count(int(b.Turns.Used), "turn"), blaise.TokenCount(b.Tokens.Used), active)
}

// usageText is what was used in words, "" for nothing that is known.
func usageText(u blaise.Usage) string {
	var parts []string
	add := func(n int64, what string) {
		if n > 0 {
			parts = append(parts, blaise.TokenCount(n)+" "+what)
		}
	}
	add(u.Total, "tokens")
	add(u.Input, "in")
	add(u.Output, "out")
	add(u.CachedRead+u.CachedWrite, "cached")
	add(u.Thought, "thought")
	if u.ContextSize > 0 {
		parts = append(parts, fmt.Sprintf("context %s of %s", blaise.TokenCount(u.ContextUsed), blaise.TokenCount(u.ContextSize)))
	}
	if u.Cost > 0 {
		parts = append(parts, costText(u))
	}
	return strings.Join(parts, ", ")
}

func costText(u blaise.Usage) string {
	if u.Cost == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g %s", u.Cost, oneLine(u.Currency, 8)))
}

// usedText is what a list has room for: the cost, else the tokens.
func usedText(u blaise.Usage) string {
	switch {
	case u.Cost > 0:
		return costText(u)
	case u.Total > 0:
		return blaise.TokenCount(u.Total) + " tok"
	}
	return "-"
}
