package e2e_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

// A machine is one that a CI provisioned: a clone of the repository, and a
// runner that is there for one run.
type machine struct {
	b    lab
	dir  string
	said bytes.Buffer
	cmd  *exec.Cmd
}

// newCI is a lab whose sessions need machines of the pool ci; the lab's own
// runner is none.
func newCI(t *testing.T, policy string) lab {
	t.Helper()
	return newLab(t, "{requirements: {pool: ci}, policy: "+policy+"}")
}

// machine makes a machine with a single-use token of its own.
func (b lab) machine(name string) *machine {
	b.t.Helper()
	m := &machine{b: b, dir: filepath.Join(b.dir, name)}
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	b.exec("git", "clone", "--quiet", filepath.Join(b.dir, "repo"), m.path("clone"))
	b.write(name+"/clone/blaise.yml", demoConfig)
	b.run("token", "create", name, "--single-use", "--label", "pool=ci", "--out", m.path("token"))
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.dir, name) }

// start starts its runner.
func (m *machine) start(args ...string) *machine {
	m.b.t.Helper()
	at := m.b.url()
	m.cmd = exec.Command(filepath.Join(programs, "runner"), append([]string{"start", "--once", "--url", at,
		"--token-file", m.path("token"), "--config", m.path("clone/blaise.yml"), "--state", m.path("state")}, args...)...)
	m.cmd.Env, m.cmd.Dir, m.cmd.Stderr = m.b.env, m.dir, &m.said
	if err := m.cmd.Start(); err != nil {
		m.b.t.Fatal(err)
	}
	return m
}

// exits waits for the runner's end, and wants its exit code.
func (m *machine) exits(want int) string {
	m.b.t.Helper()
	err := m.cmd.Wait()
	got := m.cmd.ProcessState.ExitCode()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) || got != want {
		m.b.t.Fatalf("runner start --once: exit code %d (%v), want %d: %s", got, err, want, m.said.String())
	}
	return m.said.String()
}

// vanish takes the machine away with all that is on it.
func (m *machine) vanish() {
	m.b.t.Helper()
	if err := os.RemoveAll(m.dir); err != nil {
		m.b.t.Fatal(err)
	}
}

// What only a machine of one run has cannot be resumed: the idle session ends,
// its work is with Blaise before the machine goes, and comes back in any clone
// (issue 4.4, X5, A10).
func TestOnce_WorkOutlivesTheMachine(t *testing.T) {
	b := newCI(t, "{idle: {after: 300ms}}")
	m := b.machine("m1").start()
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	s := b.environment(id, blaise.EnvDestroyed)
	m.exits(0)
	m.vanish()
	if s.Outcome != blaise.OutcomeSucceeded || !strings.Contains(s.Reason, "its runner is there for one run") {
		t.Errorf("session %s: %s", s.Outcome, s.Reason)
	}
	b.wantRuns(id, "start torn_down")
	if refs := b.saved(id); len(refs) > 0 {
		t.Fatalf("the work is here already: %v", refs)
	}
	if said := b.run("files", string(id)); !strings.Contains(said, string(id)+"-1.bundle") {
		t.Errorf("blaise files: %s", said)
	}
	out := filepath.Join(b.dir, "out")
	b.run("restore", string(id), "--to", out)
	if got, err := os.ReadFile(filepath.Join(out, "kept.txt")); err != nil || !strings.Contains(string(got), "it stays") {
		t.Errorf("restored %q, %v", got, err)
	}
	b.run("restore", string(id), "--repo", filepath.Join(b.dir, "repo"), "--to", out+"2") // it is in the repository now

	if said := b.run("delete", "--older-than", "1ns", "--dry-run"); !strings.Contains(said, "1 session would stay") {
		t.Errorf("blaise delete --dry-run: %s", said)
	}
	if said := b.fails(4, "delete", string(id), "--yes"); !strings.Contains(said, "--drop-work") {
		t.Errorf("blaise delete: %s", said)
	}
	if said := b.run("delete", string(id), "--yes", "--drop-work"); !strings.Contains(said, "went with it") {
		t.Errorf("blaise delete --drop-work: %s", said)
	}
}

// The same where the machine's repository was gone before: the work is a bundle
// of files, with one of its own for each nested repository, and each comes back
// in its place (X5).
func TestOnce_NestedWorkOutlivesTheMachine(t *testing.T) {
	b := newCI(t, "{}")
	m := b.machine("m1").start()
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	nested := filepath.Join(m.worktree(id), "lib", "inner")
	b.exec("git", "init", "--quiet", nested)
	if err := os.WriteFile(filepath.Join(nested, "deep.txt"), []byte("it stays too\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.exec("git", "-C", nested, "add", ".")
	b.exec("git", "-C", nested, "commit", "--quiet", "-m", "of the nested one")
	if err := os.RemoveAll(m.path("clone/.git")); err != nil {
		t.Fatal(err)
	}
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	m.exits(0)
	m.vanish()
	out := filepath.Join(b.dir, "out")
	b.run("restore", string(id), "--repo", filepath.Join(b.dir, "repo"), "--to", out)
	for file, want := range map[string]string{"kept.txt": "it stays", "lib/inner/deep.txt": "it stays too"} {
		if got, err := os.ReadFile(filepath.Join(out, file)); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("restored %s: %q, %v", file, got, err)
		}
	}
	if said := b.exec("git", "-C", filepath.Join(out, "lib", "inner"), "log", "--format=%s"); !strings.Contains(said, "of the nested one") {
		t.Errorf("history of the nested repository: %s", said)
	}
}

// A message that waits when a machine of one run goes is answered on another,
// from the work that Blaise has (A22, X5).
func TestOnce_AnotherMachineGoesOnFromTheWork(t *testing.T) {
	b := newCI(t, "{}")
	m := b.machine("m1").start()
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	b.say(id, "sleep 100")
	b.state(id, blaise.SessionWorking)
	b.say(id, "read kept.txt")
	b.exits(0, "runner", "drain", "--timeout", "100ms", "--state", m.path("state"))
	m.exits(0)
	m.vanish()
	b.why(string(id), "waits for a runner")
	b.machine("m2").start()
	got := b.message(id, 3, blaise.MessageAnswered)
	if !strings.Contains(got.Answer, "it stays") {
		t.Errorf("answer %q", got.Answer)
	}
	if g := b.show(id).Environment.Generation; g != 2 {
		t.Errorf("generation %d", g)
	}
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
}

// Work that is too long for Blaise is not given up with the machine: nothing is
// destroyed, and it says so (X5).
func TestOnce_WorkThatIsTooLongStopsTheTeardown(t *testing.T) {
	b := newCI(t, "{teardownRetry: [10m]}")
	b.killServe()
	b.background("blaise", "serve", "--max-file", "1")
	b.await("serve.json", b.serveJSON)
	m := b.machine("m1").start()
	id := b.start("write kept.txt it stays")
	b.writes(id, 1)
	tree := m.worktree(id)
	noise := make([]byte, 3<<20)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	if err := os.WriteFile(filepath.Join(tree, "long.bin"), noise, 0o600); err != nil {
		t.Fatal(err)
	}
	b.run("end", string(id), "--no-wait")
	s := b.environment(id, blaise.EnvTeardownWaiting)
	if !strings.Contains(s.Environment.LastError, "longer than the 1 MB that Blaise keeps of one") {
		t.Errorf("last error %q", s.Environment.LastError)
	}
	m.exits(0)
	if _, err := os.Stat(filepath.Join(tree, "long.bin")); err != nil {
		t.Errorf("the work is gone: %v", err)
	}
}

// The exit code of start --once says how it went (SPEC, Surfaces).
func TestOnce_ExitCodes(t *testing.T) {
	b := newCI(t, "{}")
	if said := b.machine("idle").start("--wait", "300ms").exits(3); !strings.Contains(said, "no run came within 300ms") {
		t.Errorf("nothing to do: %s", said)
	}
	m := b.machine("broken")
	b.write("broken/clone/blaise.yml", "version: 1\nagent: {command: [sh, -c, 'exit 7']}\n"+
		"plugs: [{use: worktree, id: src, repo: .}]\n")
	m.start()
	id := b.start("hello")
	b.state(id, blaise.SessionEnded)
	if said := m.exits(6); !strings.Contains(said, "run "+string(id)+".1") {
		t.Errorf("a failed run: %s", said)
	}
}

// A single-use token serves one daemon and one session; the second one is told
// what to do.
func TestSingleUseToken(t *testing.T) {
	b := newCI(t, "{}")
	first, other := b.start("hello"), b.start("hello")
	m := b.machine("bound")
	if err := os.Remove(m.path("token")); err != nil {
		t.Fatal(err)
	}
	b.run("token", "create", "for-one", "--single-use", "--session", string(other), "--label", "pool=ci", "--out", m.path("token"))
	m.start()
	b.answered(other, 1)
	b.why("for-one", "for one session, and that is "+string(other))
	second := b.machine("second")
	if err := os.Rename(m.path("token"), second.path("token")); err != nil {
		t.Fatal(err)
	}
	if said := second.start().exits(4); !strings.Contains(said, "is used already") || !strings.Contains(said, "hint: ") {
		t.Errorf("the second use: %s", said)
	}
	if s := b.show(first); s.Messages[0].State != blaise.MessageQueued {
		t.Errorf("the token was used for another session: %+v", s.Messages[0])
	}
	b.fails(2, "token", "create", "x", "--session", string(other))
	b.run("end", string(other))
	b.environment(other, blaise.EnvDestroyed)
	m.exits(0)
}

func (m *machine) worktree(id blaise.SessionID) string {
	m.b.t.Helper()
	for _, line := range strings.Split(m.b.exec("git", "-C", m.path("clone"), "worktree", "list", "--porcelain"), "\n") {
		if dir, ok := strings.CutPrefix(line, "worktree "); ok && dir != m.path("clone") {
			return dir
		}
	}
	m.b.t.Fatalf("session %s has no worktree in %s", id, m.dir)
	return ""
}
