package main

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// saveWait is how long restore waits for a save that may be under way.
const saveWait = time.Minute

// settled waits while a session may be saving its work, and says so. It is named
// as session has it.
func (a *app) settled(ctx context.Context, c *api.Client, given string) (api.Session, error) {
	id, err := session(ctx, c, given)
	if err != nil {
		return api.Session{}, err
	}
	limit := a.now().Add(saveWait)
	told := false
	s, err := a.until(ctx, c, id, func(s api.Session) bool {
		if !saving(s, limit) || a.now().After(limit) {
			return true
		}
		if !told {
			told = true
			fmt.Fprintf(a.err, "waiting: session %s may be saving its work now\n", id)
		}
		return false
	})
	if err == nil && saving(s, limit) {
		fmt.Fprintf(a.err, "it still does: this is the save before\n")
	}
	return s, err
}

// saving says that a newer save may come before limit. A teardown that is tried
// again later has nothing new to save until then.
func saving(s api.Session, limit time.Time) bool {
	switch s.Environment.State {
	case blaise.EnvPausing, blaise.EnvTearingDown:
		return true
	case blaise.EnvTeardownWaiting:
		for _, k := range s.Clocks {
			if k.Kind == blaise.ClockTeardown && k.DueAt.After(limit) {
				return false
			}
		}
		return !s.Held
	}
	return false
}

// aboutSave says which save a session gives, and what it does not hold.
func (a *app) aboutSave(s api.Session, save blaise.SavedWork) {
	fmt.Fprintf(a.err, "save %d of session %s, %s: %s\n",
		save.N, s.ID, ago(save.At, a.now()), blaise.Count(save.Files, "file"))
	if s.Environment.State == blaise.EnvOpen {
		fmt.Fprintf(a.err, "the session is live: what it did since is not in this save but in its next one (blaise pause %s)\n", s.ID)
	}
}
