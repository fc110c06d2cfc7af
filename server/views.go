package server

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// Views reads what people see, in the words of package api. The dashboard
// shows the same. It is safe for concurrent use.
type Views struct {
	control *control.Control
	mu      sync.Mutex // guards shared
	shared  map[blaise.SessionID]*sharedView
}

// NewViews returns the views of control.
func NewViews(c *control.Control) *Views {
	return &Views{control: c, shared: map[blaise.SessionID]*sharedView{}}
}

// Find answers the one session whose id begins with prefix. CodeNotFound.
func (v *Views) Find(ctx context.Context, prefix string) (blaise.SessionID, error) {
	if len(prefix) == len("x1234567") {
		return blaise.SessionID(prefix), nil // whole; reading it says whether it exists
	}
	return v.control.Find(ctx, prefix)
}

// Session reads a session. CodeNotFound.
func (v *Views) Session(ctx context.Context, id blaise.SessionID) (api.Session, error) {
	view, err := v.control.View(ctx, id)
	if err != nil {
		return api.Session{}, err
	}
	s := sessionOf(view)
	if s.State == blaise.SessionQueued {
		s.Queue, err = v.control.Standing(ctx, id)
	}
	return s, err
}

// NeedsPerson is the value of a filter's State for sessions that wait for a
// person.
const NeedsPerson = "needs"

// Sessions lists sessions, the latest first.
func (v *Views) Sessions(ctx context.Context, f api.SessionFilter) (api.Sessions, error) {
	out, err := v.Page(ctx, f)
	if err != nil {
		return out, err
	}
	return out, v.count(ctx, &out)
}

// Page is Sessions without the counts: for who has them already.
func (v *Views) Page(ctx context.Context, f api.SessionFilter) (api.Sessions, error) {
	q := store.Filter{Agent: f.Agent, Text: f.Text, Limit: f.Limit, Before: f.Before, Since: f.Since}
	switch {
	case f.State == NeedsPerson:
		q.NeedsPerson = true
	case slices.Contains(outcomes, blaise.Outcome(f.State)):
		q.Outcome = blaise.Outcome(f.State)
	case f.State != "" && blaise.SessionState(f.State).Meaning() == "":
		return api.Sessions{}, blaise.Errorf(blaise.CodeInvalid, "%q is no state of a session", f.State).
			WithHint("one of %s, needs; or how it ended: succeeded, failed, cancelled, timed_out",
				strings.Join(sessionStates(), ", "))
	default:
		q.State = blaise.SessionState(f.State)
	}
	if q.Limit <= 0 || q.Limit > 500 {
		q.Limit = 100
	}
	list, err := v.control.Sessions(ctx, q)
	if err != nil {
		return api.Sessions{}, err
	}
	out := api.Sessions{Sessions: []api.Summary{}}
	for _, s := range list {
		out.Sessions = append(out.Sessions, summaryOf(s))
	}
	if len(list) == q.Limit {
		out.Next = list[len(list)-1].Cursor()
	}
	return out, v.standings(ctx, out.Sessions)
}

// standings tells of the sessions that wait for an agent where they stand.
func (v *Views) standings(ctx context.Context, list []api.Summary) error {
	of := map[blaise.AgentName]map[blaise.SessionID]*blaise.Standing{}
	for i := range list {
		s := &list[i]
		if s.State != blaise.SessionQueued {
			continue
		}
		if of[s.Agent] == nil {
			all, err := v.control.Standings(ctx, s.Agent)
			if err != nil {
				return err
			}
			of[s.Agent] = map[blaise.SessionID]*blaise.Standing{}
			for _, w := range all {
				of[s.Agent][w.Session] = &w.Standing
			}
		}
		s.Queue = of[s.Agent][s.ID]
	}
	return nil
}

// outcomes are values of a filter's State, too.
var outcomes = []blaise.Outcome{
	blaise.OutcomeSucceeded, blaise.OutcomeFailed, blaise.OutcomeCancelled, blaise.OutcomeTimedOut,
}

// count says how many sessions there are, whatever the filter.
func (v *Views) count(ctx context.Context, out *api.Sessions) (err error) {
	if out.Counts, err = v.control.Counts(ctx); err != nil {
		return err
	}
	if out.Outcomes, err = v.control.Ended(ctx); err != nil {
		return err
	}
	out.Needs, out.Failed, err = v.control.Needy(ctx)
	return err
}

func sessionStates() []string {
	var names []string
	for _, e := range blaise.Legend("session") {
		names = append(names, e.State)
	}
	return names
}

// A sharedView is a session read once for all who follow it.
type sharedView struct {
	mu   sync.Mutex // held while reading, so that one reads and the rest wait
	at   time.Time  // when reading began
	view api.Session
	err  error
	used time.Time // guarded by Views.mu
}

// Fresh reads a session as it was at or after since. Followers who were woken
// together share one reading.
func (v *Views) Fresh(ctx context.Context, id blaise.SessionID, since time.Time) (api.Session, error) {
	s := v.share(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && !s.at.Before(since) {
		return s.view, nil
	}
	at := time.Now()
	s.view, s.err = v.Session(ctx, id)
	s.at = at
	return s.view, s.err
}

func (v *Views) share(id blaise.SessionID) *sharedView {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	if len(v.shared) > 64 { // forget those that nobody follows any more
		for k, s := range v.shared {
			if now.Sub(s.used) > time.Minute {
				delete(v.shared, k)
			}
		}
	}
	s := v.shared[id]
	if s == nil {
		s = &sharedView{}
		v.shared[id] = s
	}
	s.used = now
	return s
}
