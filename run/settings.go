package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"blaise.dev/blaise/acp"
)

// settings are what was chosen in the conversation: its mode, its model, its
// options. Agents forget them when they load, so what was changed, by whomever,
// is kept with the conversation and set again (C23). What nobody changed is the
// agent's own default, and stays that. It is safe for concurrent use.
type settings struct {
	mu      sync.Mutex // guards what follows
	now     []acp.Setting
	want    map[string]string // by id
	deaf    bool              // the conversation is being taken up: nothing is a choice
	changed bool              // want is not what was reported
}

func newSettings(kept map[string]string) *settings {
	s := &settings{want: map[string]string{}}
	maps.Copy(s.want, kept)
	return s
}

// open is the beginning of a conversation, or of taking it up.
func (s *settings) open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now, s.deaf = nil, true
}

// opened takes what the agent answered.
func (s *settings) opened(list []acp.Setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range list {
		s.putLocked(one)
	}
}

// listen makes what changes from now on a choice.
func (s *settings) listen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = false
}

// standing says that the conversation is being taken up.
func (s *settings) standing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deaf
}

// take notes what an update says.
func (s *settings) take(u acp.Update) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mode, ok := u.Mode(); ok {
		i := s.indexLocked("mode")
		if i < 0 {
			s.now, i = append(s.now, acp.Setting{ID: "mode"}), len(s.now)
		}
		s.chosenLocked("mode", s.now[i].Value, mode)
		s.now[i].Value = mode
	}
	if options, ok := u.ConfigOptions(); ok {
		for _, one := range acp.SettingsOf(options) {
			if i := s.indexLocked(one.ID); i >= 0 {
				s.chosenLocked(one.ID, s.now[i].Value, one.Value)
			}
			s.putLocked(one)
		}
	}
}

func (s *settings) chosenLocked(id, was, is string) {
	if !s.deaf && was != is {
		s.want[id], s.changed = is, true
	}
}

func (s *settings) putLocked(one acp.Setting) {
	if i := s.indexLocked(one.ID); i >= 0 {
		s.now[i] = one
		return
	}
	s.now = append(s.now, one)
}

func (s *settings) indexLocked(id string) int {
	return slices.IndexFunc(s.now, func(one acp.Setting) bool { return one.ID == id })
}

func (s *settings) find(id string) (acp.Setting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.indexLocked(id); i >= 0 {
		return s.now[i], true
	}
	return acp.Setting{}, false
}

// keep makes value a choice that outlives the process of the agent.
func (s *settings) keep(id, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.want[id], s.changed = value, true
}

// kept is what is to be kept with the conversation.
func (s *settings) kept() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = false
	if len(s.want) == 0 {
		return nil
	}
	return maps.Clone(s.want)
}

func (s *settings) news() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// reapply sets what the agent has forgotten, and looks whether it took it. A
// setting that cannot be had is no reason to stop: it is told. Then comes what
// people have chosen since.
func (c *conversation) reapply(ctx context.Context) {
	for _, id := range slices.Sorted(maps.Keys(c.settings.want)) {
		want := c.settings.want[id]
		one, ok := c.settings.find(id)
		if _, other := c.choices.open[id]; other || ok && one.Value == want {
			continue
		}
		why := "the agent has no such setting now"
		if ok {
			why = c.set(ctx, one, want)
		}
		if why == "" {
			c.r.notice(fmt.Sprintf("The agent had forgotten its %s; it is %s again.", id, want), nil)
			continue
		}
		c.r.notice(fmt.Sprintf("The agent's %s was %s and is not any more: %s.", id, want, why), nil)
	}
	c.choose(ctx)
	c.settings.listen()
}

// set chooses a value and verifies it; it says why it did not work.
func (c *conversation) set(ctx context.Context, one acp.Setting, value string) (why string) {
	if !one.Offers(value) {
		return "it is not offered any more"
	}
	list, err := c.agent.client.Set(ctx, c.known.ACP, one, value)
	if err != nil {
		return err.Error()
	}
	if list == nil { // the agent answers nothing: a notification may tell
		one.Value = value
		list = []acp.Setting{one}
	}
	c.settings.opened(list)
	if got, _ := c.settings.find(one.ID); got.Value != value {
		return fmt.Sprintf("it was set, and the agent says %q", got.Value)
	}
	return ""
}
