package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/plug"
)

// A yard is a machine with a repository, a state directory and a blaise.yml.
type yard struct {
	t       *testing.T
	repo    string
	p       daemon.Premises
	machine blaise.MachineID
}

func newYard(t *testing.T) yard {
	dir := t.TempDir()
	y := yard{t: t, repo: filepath.Join(dir, "repo"), p: daemon.Premises{
		StateDir: filepath.Join(dir, "state"), Configs: []string{filepath.Join(dir, "blaise.yml")},
	}}
	for _, d := range []string{y.repo, y.p.StateDir} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	y.git("init", "-q", "-b", "main")
	y.write(filepath.Join(y.repo, "a.txt"), "one\n")
	y.git("add", ".")
	y.git("commit", "-q", "-m", "first")
	y.write(y.p.Configs[0], "version: 1\nagent: {use: demo}\nplugs: [{use: worktree, id: src, repo: repo, saveLimit: 1}]\n")
	y.machine = y.inventory().Machine
	return y
}

func (y yard) git(args ...string) string {
	y.t.Helper()
	c := exec.Command("git", append([]string{"-C", y.repo, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	out, err := c.CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (y yard) write(path, text string) {
	y.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		y.t.Fatal(err)
	}
}

// open opens the layers of an environment, as a run would; o may break in.
func (y yard) open(env string, o plug.StackOptions) error {
	y.t.Helper()
	cfg, err := config.Read(y.p.Configs[0])
	if err != nil {
		y.t.Fatal(err)
	}
	o.Session, o.Environment, o.StateDir, o.Machine = env, env, y.p.StateDir, y.machine
	o.Host = &plug.Local{Dir: filepath.Dir(y.p.Configs[0])}
	s, err := plug.NewStack(cfg.Plugs, o)
	if err != nil {
		y.t.Fatal(err)
	}
	return s.Open(y.t.Context())
}

// inventory is taken with a ledger of these lines.
func (y yard) inventory(lines ...api.LedgerEntry) api.Inventory {
	return y.p.Inventory(y.t.Context(), func(context.Context, api.AskLedger) (api.Ledger, error) {
		return api.Ledger{Environments: lines}, nil
	})
}

func classes(v api.Inventory) map[string]api.Class {
	all := map[string]api.Class{}
	for _, t := range v.Things {
		all[t.Kind] = t.Class
	}
	return all
}

func (y yard) want(v api.Inventory, want ...string) {
	y.t.Helper()
	got := classes(v)
	for _, w := range want {
		kind, class, _ := strings.Cut(w, "=")
		if string(got[kind]) != class {
			y.t.Errorf("%s: got %q, want %q (all %v, unseen %v)", kind, got[kind], class, got, v.Unseen)
		}
	}
}

func line(env string, state blaise.EnvironmentState) api.LedgerEntry {
	return api.LedgerEntry{
		Environment: blaise.EnvironmentID(env), Session: blaise.SessionID(env), Mine: true, State: state,
		Over: state.Final() || state == blaise.EnvLost, SessionSays: blaise.SessionPaused,
	}
}

// What exists is ours, orphaned or unknown by what the ledger says (X4).
func TestX4_InventoryAgainstTheLedger(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	if err := y.open("s1aaaaaa", plug.StackOptions{}); err != nil {
		t.Fatal(err)
	}
	y.want(y.inventory(line("s1aaaaaa", blaise.EnvPaused)), "worktree=ours", "branch=ours", "directory=ours")
	y.want(y.inventory(line("s1aaaaaa", blaise.EnvDestroyed)), "worktree=orphaned", "branch=orphaned", "directory=orphaned")
	// Blaise does not know it: the branch goes with its worktree. Of another one
	// the name alone does not say who made it.
	y.want(y.inventory(), "worktree=orphaned", "directory=orphaned", "branch=orphaned")
	y.git("branch", "blaise/s2aaaaaa")
	y.want(y.inventory(), "worktree=orphaned", "branch=unknown")
	y.git("branch", "-D", "blaise/s2aaaaaa")
	away := y.p.Inventory(t.Context(), func(context.Context, api.AskLedger) (api.Ledger, error) {
		return api.Ledger{}, errors.New("no answer")
	})
	y.want(away, "worktree=untold", "branch=untold", "directory=untold")
	if len(away.Unseen) != 1 || !strings.Contains(away.Unseen[0], "no answer") {
		t.Errorf("it does not say what it cannot tell: %v", away.Unseen)
	}
	// Another runner of the machine sees the repository, and knows it for another's.
	other := y
	other.p.StateDir = t.TempDir()
	y.want(other.inventory(line("s1aaaaaa", blaise.EnvDestroyed)), "worktree=unknown")
}

// A branch that a person had made of a save is theirs, whatever became of the
// session (X4, X5).
func TestX4_RestoredBranchIsKept(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.git("branch", "blaise/s1aaaaaa-restored")
	for _, v := range []api.Inventory{
		y.inventory(), y.inventory(line("s1aaaaaa", blaise.EnvPaused)), y.inventory(line("s1aaaaaa", blaise.EnvDestroyed)),
	} {
		y.want(v, "restored branch=kept")
		if len(v.Things) != 1 || v.Things[0].Why != "restored from s1aaaaaa" {
			t.Errorf("got %+v", v.Things)
		}
	}
}

// What the ledger has and is not there is found too, and so are records of
// plugs that blaise.yml has no more (X4, A32).
func TestX4_A32_LedgerAgainstWhatExists(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	e := line("s1aaaaaa", blaise.EnvPaused)
	e.Plugs = []blaise.PlugRecord{
		{ID: "src", Use: "worktree", Opened: true, Machine: y.machine},
		{ID: "db", Use: "exec", Machine: y.machine, Unowned: true},
		{ID: "far", Use: "worktree", Opened: true, Machine: "elsewhere"},
	}
	e.Resources = []blaise.Resource{
		{Plug: "src", Kind: "worktree", Name: filepath.Join(y.p.StateDir, "gone"), Where: y.repo},
		{Plug: "far", Kind: "worktree", Name: filepath.Join(y.p.StateDir, "far"), Where: y.repo},
		{Plug: "src", Kind: "branch", Name: "never", Where: "a repository that nobody listed"},
	}
	v := y.inventory(e)
	y.want(v, "worktree=missing", "plug=unowned", "branch=")
	missing := 0
	for _, thing := range v.Things {
		if thing.Class == api.ClassMissing {
			missing++
		}
	}
	if missing != 1 {
		t.Errorf("%d are missing, want one: %+v", missing, v.Things)
	}
	// While a run works in it, things come and go.
	e.State = blaise.EnvCreating
	y.want(y.inventory(e), "worktree=")
}

// Reap takes away what a crash left, whether it came between intent and deed or
// between deed and report (X4).
func TestX4_ReapAfterACrash(t *testing.T) {
	t.Parallel()
	crash := errors.New("crash")
	for name, o := range map[string]plug.StackOptions{
		"between intent and deed": {Intend: func(context.Context, blaise.Resource) error { return crash }},
		"between deed and report": {Record: func(_ context.Context, r blaise.PlugRecord) error {
			if r.Opened {
				return crash
			}
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			if err := y.open("s1aaaaaa", o); !errors.Is(err, crash) {
				t.Fatalf("got %v", err)
			}
			gone := line("s1aaaaaa", blaise.EnvDestroyed)
			all := daemon.Orphans(y.inventory(gone))
			if len(all) != 1 {
				t.Fatalf("got %+v, want one environment", all)
			}
			if r := y.p.Reap(t.Context(), all[0], ""); r.Error != "" {
				t.Fatal(r.Error)
			}
			if v := y.inventory(gone); len(v.Things) > 0 {
				t.Errorf("left: %+v", v.Things)
			}
			if got := y.git("branch", "--list"); got != "* main" {
				t.Errorf("branches: %s", got)
			}
		})
	}
}

// Reap saves first, and removes nothing that cannot be saved unless a person
// says why (X5).
func TestX4_X5_ReapSavesFirst(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	for n, size := range []int{10, 3 << 20} {
		env := fmt.Sprintf("s%daaaaaa", n)
		if err := y.open(env, plug.StackOptions{}); err != nil {
			t.Fatal(err)
		}
		tree := filepath.Join(y.p.StateDir, "environments", env, "src", env)
		y.write(filepath.Join(tree, "new.txt"), strings.Repeat("x", size))
	}
	all := daemon.Orphans(y.inventory(line("s0aaaaaa", blaise.EnvDestroyed), line("s1aaaaaa", blaise.EnvDestroyed)))
	if len(all) != 2 {
		t.Fatalf("got %+v, want two environments", all)
	}
	small := y.p.Reap(t.Context(), all[0], "")
	if small.Error != "" || len(small.Saved) != 1 || y.git("show", small.Saved[0].Ref+":new.txt") != "xxxxxxxxxx" {
		t.Errorf("got %+v", small)
	}
	large := y.p.Reap(t.Context(), all[1], "")
	if !strings.Contains(large.Error, "the limit is 1 MB") || !strings.Contains(large.Error, "saveLimit") {
		t.Errorf("got %q, want the limit and where it is set", large.Error)
	}
	if v := y.inventory(line("s1aaaaaa", blaise.EnvDestroyed)); classes(v)["worktree"] != api.ClassOrphaned {
		t.Errorf("unsaved work was removed: %+v", v.Things)
	}
	if large = y.p.Reap(t.Context(), all[1], "it is a test"); large.Error != "" {
		t.Error(large.Error)
	}
}

// What a plug of the user's own made is known by the state that is written down,
// and given back by the spec that is, though no blaise.yml has the plug any more
// and Blaise knows no such session (X4, A32).
func TestX4_ReapByWhatIsWrittenDown(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	was, err := os.ReadFile(y.p.Configs[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	y.write(y.p.Configs[0], "version: 1\nagent: {use: demo}\nplugs:\n  - {use: worktree, id: src, repo: repo}\n"+
		"  - {use: exec, id: db, onStart: 'touch "+dir+"/$BLAISE_KEY', onTeardown: 'rm "+dir+"/$BLAISE_KEY'}\n")
	states := map[string]plug.State{}
	state := func(id string) plug.State {
		if states[id] == nil {
			states[id] = &kept{}
		}
		return states[id]
	}
	if err := y.open("s1aaaaaa", plug.StackOptions{State: state}); err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(made) != 1 {
		t.Fatalf("made %v, %v", made, err)
	}
	y.want(y.inventory(line("s1aaaaaa", blaise.EnvPaused)), "exec=ours", "worktree=ours")
	y.write(y.p.Configs[0], string(was))
	v := y.inventory() // Blaise has forgotten it
	y.want(v, "exec=orphaned", "worktree=orphaned")
	all := daemon.Orphans(v)
	if len(all) != 1 {
		t.Fatalf("got %+v, want one environment", all)
	}
	if r := y.p.Reap(t.Context(), all[0], ""); r.Error != "" {
		t.Fatal(r.Error)
	}
	if v := y.inventory(); len(v.Things) > 0 {
		t.Errorf("left: %+v", v.Things)
	}
	if _, err := os.Stat(made[0]); err == nil {
		t.Error("what the plug made is still there")
	}
}

// A kept is the state of one plug at Blaise.
type kept struct{ value []byte }

func (k *kept) Load(_ context.Context, v any) (bool, error) {
	if k.value == nil {
		return false, nil
	}
	return true, json.Unmarshal(k.value, v)
}

func (k *kept) Save(_ context.Context, v any) (err error) {
	k.value, err = json.Marshal(v)
	return err
}
