package run

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/api"
)

// Limits of what is kept of an agent's status: it is shown to people.
const (
	statusMost = 300 // settings, choices, commands, steps
	statusText = 300 // characters of one text
	// statusEvery is how often it is reported at most while it changes: some
	// agents send their usage with every chunk.
	statusEvery = 500 * time.Millisecond
)

// A status is what the agent last said of its session, on its way to Blaise. It
// is safe for concurrent use.
type status struct {
	changed chan struct{} // holds one
	telling sync.Mutex    // held into the spool: what was said last is what counts

	mu   sync.Mutex // guards what follows
	now  blaise.AgentStatus
	said blaise.AgentStatus // what was reported
}

func newStatus() *status { return &status{changed: make(chan struct{}, 1)} }

// take notes what an update says.
func (s *status) take(u acp.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch u.Kind {
	case acp.KindCommands:
		list, _ := u.Commands()
		s.now.Commands = nil
		for _, c := range list[:min(len(list), statusMost)] {
			s.now.Commands = append(s.now.Commands, blaise.Command{
				Name: short(c.Name), Description: short(c.Description), Hint: short(c.Hint),
			})
		}
	case acp.KindPlan:
		list, _ := u.Plan()
		s.now.Plan = nil
		for _, p := range list[:min(len(list), statusMost)] {
			s.now.Plan = append(s.now.Plan, blaise.PlanStep{Text: short(p.Content), Status: short(p.Status)})
		}
	case acp.KindUsage:
		use, _ := u.Usage()
		s.now.ContextUsed, s.now.ContextSize = use.Used, use.Size
	case acp.KindMode, acp.KindConfig:
	default:
		return
	}
	s.poke()
}

// poke says that there may be something new.
func (s *status) poke() {
	select {
	case s.changed <- struct{}{}:
	default: // it is known
	}
}

// latest is what there is to report, false if it was reported.
func (s *status) latest(settings []blaise.Setting) (blaise.AgentStatus, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Settings = settings
	if reflect.DeepEqual(s.now, s.said) {
		return s.said, false
	}
	s.said = s.now
	return s.said, true
}

func (s *status) use() (used, size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now.ContextUsed, s.now.ContextSize
}

// tellStatus reports what the agent says of its session, if that is news.
func (c *conversation) tellStatus() {
	c.status.telling.Lock()
	defer c.status.telling.Unlock()
	if now, ok := c.status.latest(c.settings.shown()); ok {
		c.r.say(api.Report{Event: api.EventStatusTold, Status: &now})
	}
}

// followStatus reports changes until ctx ends, not too often.
func (c *conversation) followStatus(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.status.changed:
		}
		c.tellStatus()
		if sleep(ctx, statusEvery) != nil {
			return
		}
	}
}

// cleanStatus takes the secrets out: an agent may have put one anywhere.
func (r *run) cleanStatus(s blaise.AgentStatus) (clean blaise.AgentStatus, err error) {
	raw, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(r.secrets.JSON(raw), &clean)
	}
	return clean, err
}

func short(text string) string {
	if r := []rune(text); len(r) > statusText {
		return string(r[:statusText-1]) + "…"
	}
	return text
}
