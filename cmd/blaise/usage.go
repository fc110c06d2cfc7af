package main

import (
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// printUsage shows what the turns have used, as far as the agent tells.
func (a *app) printUsage(s api.Session) {
	if text := oneLine(s.Usage.Words(), 200); text != "" {
		a.field("used", "%s", text)
	}
	b := s.Budget
	active := time.Duration(b.ActiveSeconds.Used) * time.Second
	a.field("budget", "%s, %s tokens, %s active", blaise.Count(int(b.Turns.Used), "turn"), blaise.TokenCount(b.Tokens.Used), active)
}

// usedText is what a list has room for: the cost, else the tokens.
func usedText(u blaise.Usage) string {
	switch {
	case u.Cost > 0:
		return oneLine(u.Price(), 20)
	case u.Total > 0:
		return blaise.TokenCount(u.Total) + " tok"
	}
	return "-"
}
