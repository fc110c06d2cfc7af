package plug_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
	"blaise.dev/blaise/transcript"
	"gopkg.in/yaml.v3"
)

// A box is a layer that isolates and does nothing.
type box struct{}

func (box) Open(_ context.Context, _ plug.Scope, outer plug.Env) (plug.Env, error) { return outer, nil }
func (box) Destroy(context.Context, plug.Scope) error                              { return nil }
func (box) Isolates() bool                                                         { return true }

// A fake is a layer that writes down what is asked of it.
type fake struct {
	id   string
	log  *[]string
	fail string // the verb that fails
	why  string
}

func (f fake) do(verb string) error {
	*f.log = append(*f.log, verb+" "+f.id)
	switch f.fail {
	case verb:
		return errors.New("it broke")
	case verb + " gone":
		return plug.ErrGone
	}
	return nil
}

func (f fake) Open(ctx context.Context, s plug.Scope, outer plug.Env) (plug.Env, error) {
	if f.why == "stateful" {
		if err := s.State.Save(ctx, "value"); err != nil {
			return nil, err
		}
	}
	return outer, f.do("open")
}
func (f fake) Pause(context.Context, plug.Scope) error   { return f.do("pause") }
func (f fake) Destroy(context.Context, plug.Scope) error { return f.do("destroy") }
func (f fake) Save(context.Context, plug.Scope, plug.Env) (blaise.SavedWork, error) {
	return blaise.SavedWork{}, f.do("save")
}
func (f fake) Transient() string { return strings.TrimPrefix(f.why, "stateful") }
func (f fake) Filter(_ plug.Scope, next transcript.Sink) transcript.Sink {
	return transcript.SinkFunc(func(e transcript.Event) error {
		var s string
		_ = json.Unmarshal(e.Data, &s)
		return next.Append(transcript.New(e.Kind, s+f.id))
	})
}

// fakes makes a world of fake plugs; "b!open" fails to open, "b?why" is
// transient.
func fakes(t *testing.T, log *[]string, ids ...string) *plugtest.World {
	w := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)))
	made := map[string]fake{}
	for _, id := range ids {
		id, fail, _ := strings.Cut(id, "!")
		id, why, _ := strings.Cut(id, "?")
		made[id] = fake{id: id, log: log, fail: fail, why: why}
		w.Specs = append(w.Specs, plug.NewSpec("fake", id, nil))
	}
	w.Options.New = func(s plug.Spec) (plug.Plug, error) {
		f, ok := made[s.ID]
		if !ok {
			return fake{id: s.ID, log: log}, nil
		}
		return f, nil
	}
	return w
}

func TestStack(t *testing.T) {
	t.Parallel()
	t.Run("opens inwards, goes down outwards", func(t *testing.T) {
		var log []string
		s := fakes(t, &log, "a", "b", "c").Open()
		_, err := s.Save(t.Context())
		if err := errors.Join(err, s.Pause(t.Context()), s.Destroy(t.Context())); err != nil {
			t.Fatal(err)
		}
		want := "open a,open b,open c,save c,save b,save a,pause c,pause b,pause a,destroy c,destroy b,destroy a"
		if got := strings.Join(log, ","); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	})
	t.Run("a layer that is gone holds no work and stops nobody (X5)", func(t *testing.T) {
		var log []string
		w := fakes(t, &log, "a", "b!save gone")
		if _, err := w.Open().Save(t.Context()); err != nil {
			t.Error(err)
		}
		contains(t, w.Notices(), `work of plug "b" is not saved`)
	})
	t.Run("goes on past failures and names the plug", func(t *testing.T) {
		var log []string
		w := fakes(t, &log, "a!destroy", "b!open", "c!destroy")
		err := w.Stack().Open(t.Context())
		var oe *plug.OpenError
		if !errors.As(err, &oe) || oe.Plug != "b" || oe.Use != "fake" {
			t.Fatalf("open: %v", err)
		}
		err = w.Stack().Destroy(t.Context())
		contains(t, err.Error(), `destroy plug "a" (fake): it broke`, `destroy plug "c" (fake): it broke`)
		if got := strings.Join(log, ","); got != "open a,open b,destroy c,destroy b,destroy a" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("half-open layers are paused, untouched ones not", func(t *testing.T) {
		var log []string
		s := fakes(t, &log, "a", "b!open", "c").Stack()
		_ = s.Open(t.Context())
		if err := s.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(log, ","); got != "open a,open b,pause b,pause a" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("the innermost filter sees an event first", func(t *testing.T) {
		var log []string
		var got string
		sink := fakes(t, &log, "a", "b").Stack().Filter(transcript.SinkFunc(func(e transcript.Event) error {
			return json.Unmarshal(e.Data, &got)
		}))
		_ = sink.Append(transcript.New(transcript.KindNotice, ""))
		if got != "ba" {
			t.Errorf("got %q, want %q", got, "ba")
		}
	})
	t.Run("says what cannot be resumed", func(t *testing.T) {
		var log []string
		r := fakes(t, &log, "a", "b?it is gone when it stops").Open().Resumable()
		if !r[0].Resumable || r[1].Resumable || r[1].Why == "" || !r[1].Opened || r[1].Reach != blaise.ReachHost {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("another machine cannot look", func(t *testing.T) {
		var log []string
		w := fakes(t, &log, "a")
		w.Options.Machine = "m1"
		w.Open()
		w.Options.Machine = "m2"
		if err := w.Stack().Open(t.Context()); !errors.Is(err, plug.ErrElsewhere) {
			t.Errorf("open: %v", err)
		}
		if err := w.Stack().Destroy(t.Context()); !errors.Is(err, plug.ErrElsewhere) {
			t.Errorf("destroy: %v", err)
		}
	})
}

// A32.
func TestStackRemembers(t *testing.T) {
	t.Parallel()
	t.Run("removed: stateless destroyed, stateful left and listed", func(t *testing.T) {
		var log []string
		w := fakes(t, &log, "a", "b", "c?stateful", "d")
		w.Open()
		w.Specs = w.Specs[3:]
		log = nil
		s := w.Stack()
		if err := errors.Join(s.Open(t.Context()), s.Destroy(t.Context())); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(log, ","); got != "open d,destroy d,destroy b,destroy a" {
			t.Errorf("got %s", got)
		}
		r := s.Resumable()
		if last := r[len(r)-1]; last.ID != "c" || !last.Unowned || !last.HasState {
			t.Errorf("got %+v", last)
		}
	})
	t.Run("unreadable file: all by their recorded specs", func(t *testing.T) {
		var log []string
		w := fakes(t, &log, "a", "c?stateful")
		w.Open()
		w.Specs, w.Options.Unreadable = nil, true
		log = nil
		if err := w.Stack().Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(log, ","); got != "destroy c,destroy a" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a changed use under a known id is an error", func(t *testing.T) {
		_, err := plug.NewStack([]plug.Spec{plug.NewSpec("local", "x", nil)}, plug.StackOptions{
			Session: "s", Host: host(t, "/"), StateDir: "/x",
			Records: []blaise.PlugRecord{{ID: "x", Use: "worktree", Opened: true}},
		})
		if err == nil {
			t.Fatal("want an error")
		}
		contains(t, err.Error(), `id "x" was worktree`, "another id")
	})
}

// P-cases of blaise.yml: what is wrong, and where.
// A plug is recorded before and after it is opened; what Blaise has already is
// not sent again.
func TestStackRecords(t *testing.T) {
	t.Parallel()
	var log []string
	w := fakes(t, &log, "a")
	var told []bool
	open := func() []bool {
		told = nil
		s, err := plug.NewStack(w.Specs, plug.StackOptions{
			Session: w.Session, StateDir: w.State, Host: w.Options.Host, New: w.Options.New,
			Records: w.Options.Records, Machine: w.Options.Machine,
			Record: func(_ context.Context, r blaise.PlugRecord) error {
				told = append(told, r.Opened)
				return nil
			},
		})
		if err == nil {
			err = s.Open(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Options.Records = s.Resumable()
		return told
	}
	if got := open(); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("first: got %v, want before and after", got)
	}
	if got := open(); len(got) != 0 {
		t.Errorf("nothing changed: got %v, want none", got)
	}
	w.Options.Records[0].Spec = []byte("use: fake # as it was")
	if got := open(); !slices.Equal(got, []bool{true}) {
		t.Errorf("another spec: got %v, want one", got)
	}
}

func TestSpecErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ yaml, want string }{
		"no mapping":     {"[worktree]", "line 1, column 2: a plug is a mapping"},
		"no use":         {"[{id: x}]", "use is missing"},
		"unknown plug":   {"[{use: cloud}]", `unknown plug "cloud": known plugs: container, devcontainer, exec, local`},
		"misspelt plug":  {"[{use: worktre}]", `did you mean "worktree"?`},
		"unknown key":    {"[{use: worktree,\n  brnch: x}]", `line 2, column 3: unknown key "brnch" (did you mean "branch"?)`},
		"wrong type":     {"[{use: worktree,\n  submodules: maybe}]", "line 2, column 15: submodules: want true or false"},
		"number":         {"[{use: worktree, base: 12}]", "base: want a string"},
		"double key":     {"[{use: local, dir: a, dir: b}]", "twice"},
		"bad id":         {"[{use: local, id: a/b}]", `id "a/b"`},
		"two of one use": {"[{use: local}, {use: local}]", "two plugs use local: give each an id"},
		"two of one id":  {"[{use: local, id: x}, {use: worktree, id: x}]", `two plugs have the id "x"`},
		"empty branch":   {`[{use: worktree, branch: ""}]`, "branch is empty"},
		"bad limit":      {"[{use: worktree, saveLimit: -1}]", "saveLimit"},
	} {
		t.Run(name, func(t *testing.T) {
			var nodes []yaml.Node
			var specs []plug.Spec
			err := yaml.Unmarshal([]byte(c.yaml), &nodes)
			for i := range nodes {
				var s plug.Spec
				if err == nil {
					err = s.UnmarshalYAML(&nodes[i])
				}
				specs = append(specs, s)
			}
			if err == nil {
				_, err = plug.NewStack(specs, plug.StackOptions{Session: "s", Host: host(t, "/"), StateDir: "/x"})
			}
			if err == nil {
				t.Fatal("want an error")
			}
			contains(t, err.Error(), c.want)
		})
	}
}

func TestSpecBytes(t *testing.T) {
	t.Parallel()
	spec := plug.NewSpec("worktree", "", map[string]any{"base": "main"})
	again, err := plug.ParseSpec(spec.Bytes())
	if err != nil || again.Use != "worktree" || again.ID != "worktree" || string(again.Bytes()) != string(spec.Bytes()) {
		t.Errorf("got %+v, %v", again, err)
	}
	for _, name := range plug.Names() {
		doc, keys, err := plug.Describe(name)
		if err != nil || doc == "" {
			t.Errorf("%s: %q %v", name, doc, err)
		}
		for _, k := range keys {
			if k.Name == "" || k.Doc == "" {
				t.Errorf("%s: key without words: %+v", name, k)
			}
		}
	}
}
