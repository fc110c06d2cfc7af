package plug

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

type execConfig struct {
	OnStart      commandLine `yaml:"onStart" doc:"makes what the session needs, or takes up what it made before it was cut off"`
	OnResume     commandLine `yaml:"onResume" doc:"takes it up after a pause; default: onStart again"`
	OnPause      commandLine `yaml:"onPause" doc:"runs when the session sleeps; what was made stays"`
	OnTeardown   commandLine `yaml:"onTeardown" doc:"gives it all back, and exits 0 only when it is gone, or never was"`
	OnTranscript commandLine `yaml:"onTranscript" doc:"runs as long as the run: reads each event as a line of JSON, answers each with a line"`
	Reach        string      `yaml:"reach" default:"host" doc:"host, or shared if other machines of the runner can take up what was made"`
}

// An execPlug is a plug of the user's own: commands on the host, one for each
// moment, and one that goes along with the record. What they answer it keeps in
// its State, behind a key that is saved before the first of them runs.
type execPlug struct {
	c     execConfig
	outer Env      // of the last Open
	watch *watcher // nil without onTranscript, or before Open
}

var (
	_ Plug       = (*execPlug)(nil)
	_ Pauser     = (*execPlug)(nil)
	_ Filter     = (*execPlug)(nil)
	_ Reacher    = (*execPlug)(nil)
	_ hostRunner = (*execPlug)(nil)
	_ needer     = (*execPlug)(nil)
)

func newExec(c execConfig) (Plug, error) {
	p := &execPlug{c: c}
	switch {
	case !slices.ContainsFunc(p.commands(), func(l commandLine) bool { return len(l) > 0 }):
		return nil, errors.New("it has nothing to run: give it onStart, onTeardown or onTranscript")
	case c.Reach != string(blaise.ReachHost) && c.Reach != string(blaise.ReachShared):
		return nil, fmt.Errorf("reach %q: want host or shared", c.Reach)
	case len(c.OnStart) == 0 && len(c.OnResume) > 0:
		return nil, errors.New("onResume takes up what onStart made: there is no onStart")
	}
	return p, nil
}

func (p *execPlug) commands() []commandLine {
	return []commandLine{p.c.OnStart, p.c.OnResume, p.c.OnPause, p.c.OnTeardown, p.c.OnTranscript}
}

func (p *execPlug) missing(host Place) []string {
	var all []string
	for _, line := range p.commands() {
		if len(line) == 0 {
			continue
		}
		if why := line.missing(host); why != "" && !slices.Contains(all, why) {
			all = append(all, why)
		}
	}
	return all
}

// Reach is what blaise.yml says.
func (p *execPlug) Reach() blaise.Reach { return blaise.Reach(p.c.Reach) }

// A memory is what an exec plug keeps between runs.
type memory struct {
	Key   string            `json:"key"`
	State json.RawMessage   `json:"state,omitempty"` // as a hook answered it last
	Env   map[string]string `json:"env,omitempty"`
	Dir   string            `json:"dir,omitempty"`
}

// Open runs onStart, or onResume in an environment that an earlier run has
// opened. Env and dir that a hook does not answer are those of the last answer;
// secrets are kept nowhere, and must be answered in each run.
func (p *execPlug) Open(ctx context.Context, s Scope, outer Env) (Env, error) {
	p.outer = outer
	m, err := p.remember(ctx, s)
	if err != nil {
		return nil, err
	}
	var secrets map[string]string
	if h := p.opening(s, m); len(h.line) > 0 {
		a, err := h.run(ctx, s)
		if err != nil {
			return nil, err
		}
		if err := p.keep(ctx, s, m, a); err != nil {
			return nil, err
		}
		secrets = a.Secrets
	}
	if p.watch, err = startWatcher(ctx, s, p.c.OnTranscript, hookVars(s, "onTranscript", m)); err != nil {
		return nil, err
	}
	return addedEnv{outer: outer, dir: within(outer, m.Dir), vars: slices.Concat(pairs(m.Env), pairs(secrets))}, nil
}

func (p *execPlug) opening(s Scope, m *memory) hook {
	h := hook{name: "onStart", line: p.c.OnStart, memory: m, outer: p.outer}
	if s.Opened && len(p.c.OnResume) > 0 {
		h.name, h.line = "onResume", p.c.OnResume
	}
	return h
}

// remember loads what is kept, or begins: the key is durable, and the ledger
// knows of it, before a hook runs.
func (p *execPlug) remember(ctx context.Context, s Scope) (*memory, error) {
	var m memory
	found, err := s.State.Load(ctx, &m)
	if err != nil || len(p.c.OnStart) == 0 && len(p.c.OnPause) == 0 && len(p.c.OnTeardown) == 0 {
		return &m, err
	}
	if !found {
		if s.Opened {
			return nil, fmt.Errorf("its state: %w", ErrGone)
		}
		m.Key = newKey()
		if err := s.State.Save(ctx, m); err != nil {
			return nil, err
		}
	}
	if err := s.Intend(ctx, m.resource(s)); err != nil {
		return nil, fmt.Errorf("enter key in the ledger: %w", err)
	}
	return &m, nil
}

// newKey is a name that a database, a container or a directory may have.
func newKey() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return "b" + hex.EncodeToString(b)
}

func (m *memory) resource(s Scope) blaise.Resource {
	return blaise.Resource{Kind: "exec", Name: m.Key, Where: "plug " + s.ID}
}

// keep takes in what a hook answered.
func (p *execPlug) keep(ctx context.Context, s Scope, m *memory, a answer) error {
	was := *m
	if a.State != nil {
		m.State = a.State
	}
	if a.Env != nil {
		m.Env = a.Env
	}
	if a.Dir != "" {
		m.Dir = a.Dir
	}
	if reflect.DeepEqual(was, *m) {
		return nil
	}
	return s.State.Save(ctx, m)
}

// Pause runs onPause and ends onTranscript.
func (p *execPlug) Pause(ctx context.Context, s Scope) error {
	p.watch.stop()
	if len(p.c.OnPause) == 0 {
		return nil
	}
	var m memory
	found, err := s.State.Load(ctx, &m)
	if err != nil || !found { // no hook ever ran
		return err
	}
	a, err := hook{name: "onPause", line: p.c.OnPause, memory: &m, outer: p.outer}.run(ctx, s)
	if err != nil {
		return err
	}
	return p.keep(ctx, s, &m, a)
}

// Destroy runs onTeardown, and forgets the state when that exits 0.
func (p *execPlug) Destroy(ctx context.Context, s Scope) error {
	p.watch.stop()
	var m memory
	found, err := s.State.Load(ctx, &m)
	if err != nil || !found { // no hook ever ran
		return err
	}
	if len(p.c.OnTeardown) > 0 {
		if _, err := (hook{name: "onTeardown", line: p.c.OnTeardown, memory: &m, outer: p.outer}).run(ctx, s); err != nil {
			return err
		}
	}
	if err := s.Forget(ctx, m.resource(s)); err != nil {
		return err
	}
	return s.State.Save(ctx, nil)
}

// Filter sends each event through onTranscript.
func (p *execPlug) Filter(_ Scope, next transcript.Sink) transcript.Sink {
	if len(p.c.OnTranscript) == 0 {
		return next
	}
	return transcript.SinkFunc(func(e transcript.Event) error { return p.watch.pass(e, next) })
}

// within is dir as seen in a place: a relative one is below where that works.
func within(e Env, dir string) string {
	if dir == "" || strings.HasPrefix(dir, "/") {
		return dir
	}
	return strings.TrimSuffix(e.Place().Dir, "/") + "/" + strings.TrimPrefix(dir, "./")
}

// pairs are variables as KEY=VALUE, sorted.
func pairs(vars map[string]string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		all = append(all, name+"="+vars[name])
	}
	return all
}
