package control

import (
	"context"
	"log/slog"
	"strings"

	"blaise.dev/blaise"
)

// tell logs what a committed plan changed: all of it at debug, and what an
// operator may have to look at as a warning.
func (c *Control) tell(p blaise.Plan) {
	log := c.log.With("session", p.Next.Session.ID)
	for _, r := range p.Ended.Runs {
		switch r.Outcome {
		case blaise.RunFailed, blaise.RunLost, blaise.RunRefused:
			log.Warn("run ended badly", "run", r.ID, "kind", r.Kind, "outcome", r.Outcome, "reason", r.Reason)
		}
	}
	debug := log.Enabled(context.Background(), slog.LevelDebug)
	for _, h := range p.History {
		if h.Subject == "environment" && h.To == string(blaise.EnvOrphaned) {
			log.Warn("environment is orphaned: every try to tear it down failed", "run", lastRun(p), "reason", h.Reason)
		}
		if debug {
			log.Debug("changed", "run", runOf(p, h), "subject", h.Subject, "from", h.From, "to", h.To,
				"event", h.Event, "by", h.By, "reason", h.Reason, "setting", h.Setting)
		}
	}
}

// runOf is the run that a change is of or happened in, "" for none.
func runOf(p blaise.Plan, h blaise.Change) blaise.RunID {
	if id, ok := strings.CutPrefix(h.Subject, "run:"); ok {
		return blaise.RunID(id)
	}
	return lastRun(p)
}

func lastRun(p blaise.Plan) blaise.RunID {
	switch ended := p.Ended.Runs; {
	case p.Next.Run != nil:
		return p.Next.Run.ID
	case len(ended) > 0:
		return ended[len(ended)-1].ID
	}
	return ""
}
