package plugtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/transcript"
)

// A World is what Blaise and a runner remember of one environment, kept in
// memory. Each Stack it makes is like a run of its own.
type World struct {
	t       testing.TB
	Session string
	State   string // the runner's state directory
	Options plug.StackOptions
	Specs   []plug.Spec

	mu      sync.Mutex // guards what follows
	records map[string]blaise.PlugRecord
	order   []string
	ledger  map[string]blaise.Resource
	states  map[string][]byte
	notes   []transcript.Event
	intends int
	failAt  int               // the number of the Intend that fails, 0: none
	crash   func(step string) // after a step was taken in
}

// NewWorld makes the world of one environment around a host.
func NewWorld(t testing.TB, host plug.Env, specs ...plug.Spec) *World {
	t.Helper()
	return &World{
		t: t, Session: string(blaise.NewSessionID()), State: TempDir(t), Specs: specs,
		Options: plug.StackOptions{Host: host, Save: 1},
		records: map[string]blaise.PlugRecord{}, ledger: map[string]blaise.Resource{},
		states: map[string][]byte{},
	}
}

// Stack makes the stack of the next run.
func (w *World) Stack() *plug.Stack {
	w.t.Helper()
	o := w.Options
	o.Session, o.StateDir, o.Records = w.Session, w.State, w.Records()
	o.Intend, o.Forget, o.Record = w.intend, w.forget, w.record
	o.State = func(id string) plug.State { return memory{w, id} }
	o.Note = func(e transcript.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.notes = append(w.notes, e)
	}
	s, err := plug.NewStack(w.Specs, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// Open opens the stack of a next run.
func (w *World) Open() *plug.Stack {
	w.t.Helper()
	s := w.Stack()
	if err := s.Open(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// FailIntend makes the nth entry in the ledger of the innermost plug from now
// fail.
func (w *World) FailIntend(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.intends, w.failAt = 0, n
}

func (w *World) intend(_ context.Context, r blaise.Resource) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isInner(r.Plug) {
		if w.intends++; w.intends == w.failAt {
			return fmt.Errorf("the ledger is out of reach")
		}
	}
	w.ledger[r.Kind+" "+r.Name] = r
	w.stepLocked("intent", r.Plug)
	return nil
}

func (w *World) forget(_ context.Context, r blaise.Resource) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.ledger, r.Kind+" "+r.Name)
	return nil
}

func (w *World) record(_ context.Context, r blaise.PlugRecord) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.records[r.ID]; !known {
		w.order = append(w.order, r.ID)
	}
	if r.Opened {
		w.stepLocked("deed", r.ID)
	}
	w.records[r.ID] = r
	return nil
}

// Records are the plug records as Blaise has them.
func (w *World) Records() []blaise.PlugRecord {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []blaise.PlugRecord
	for _, id := range w.order {
		all = append(all, w.records[id])
	}
	return all
}

// newGeneration forgets the records, as Blaise does when an environment is
// destroyed.
func (w *World) newGeneration() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.records, w.order = map[string]blaise.PlugRecord{}, nil
}

// Ledger is what was entered and not found absent since.
func (w *World) Ledger() []blaise.Resource {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []blaise.Resource
	for _, r := range w.ledger {
		all = append(all, r)
	}
	return all
}

// Notices are the texts of the notices so far.
func (w *World) Notices() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, e := range w.notes {
		if e.Kind == transcript.KindNotice {
			var n struct{ Text string }
			_ = json.Unmarshal(e.Data, &n)
			b.WriteString(n.Text + "\n")
		}
	}
	return b.String()
}

// Output is what plugs and their commands said so far.
func (w *World) Output() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, e := range w.notes {
		if e.Kind == transcript.KindOutput {
			var o struct{ Text string }
			_ = json.Unmarshal(e.Data, &o)
			b.WriteString(o.Text)
		}
	}
	return b.String()
}

// States are the ids of the plugs that keep state.
func (w *World) States() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.states))
}

// Leftovers are the files in the runner's state directory, but for the
// directory of all environments.
func (w *World) Leftovers() []string {
	var left []string
	_ = filepath.WalkDir(w.State, func(path string, _ os.DirEntry, err error) error {
		if err == nil && path != w.State && path != filepath.Join(w.State, "environments") {
			left = append(left, path)
		}
		return nil
	})
	return left
}

// Sh runs a script in env and answers its output; it must exit 0.
func Sh(t testing.TB, env plug.Env, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var out bytes.Buffer
	p, err := env.Start(ctx, plug.Cmd{Args: []string{"sh", "-ec", script}, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	exit, err := p.Wait()
	if err != nil || exit.Code != 0 {
		t.Fatalf("sh -c %q: exit %+v, %v\n%s", script, exit, err, &out)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// memory is a State.
type memory struct {
	w  *World
	id string
}

func (m memory) Load(_ context.Context, v any) (bool, error) {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	b, ok := m.w.states[m.id]
	if !ok {
		return false, nil
	}
	return true, json.Unmarshal(b, v)
}

func (m memory) Save(_ context.Context, v any) error {
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	if v == nil {
		delete(m.w.states, m.id)
		return nil
	}
	b, err := json.Marshal(v)
	m.w.states[m.id] = b
	m.w.stepLocked("state", m.id)
	return err
}
