package e2e_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/daemon"
)

const demoConfig = "version: 1\nagent: {use: demo}\nplugs: [{use: worktree, id: src, repo: .}]\n"

// A lab is a split whose parts a test may break and start again.
type lab struct{ *split }

func newLab(t *testing.T, spec string) lab {
	t.Helper()
	t.Parallel()
	b := lab{startSplit(t, demoConfig)}
	b.policy(spec)
	return b
}

// policy gives the agent another spec. Its gate asks for everything: a write is
// a question here.
func (b lab) policy(spec string) {
	b.t.Helper()
	spec = strings.Replace(spec, "{", "{gate: [{then: ask}], ", 1)
	b.write("agent.yml", "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: coder}\nspec: "+spec+"\n")
	b.run("apply", "-f", filepath.Join(b.dir, "agent.yml"))
}

// fails runs a command of blaise and wants its exit code; it returns what the
// command said on stderr.
func (b lab) fails(code int, args ...string) string {
	b.t.Helper()
	return b.exits(code, "blaise", args...)
}

func (b lab) exits(code int, program string, args ...string) string {
	b.t.Helper()
	ctx, stop := bounded()
	defer stop()
	c := exec.CommandContext(ctx, filepath.Join(programs, program), args...)
	c.Env, c.Dir = b.env, filepath.Join(b.dir, "repo")
	var said strings.Builder
	c.Stderr = &said
	err := c.Run()
	got := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		b.t.Fatal(err)
	}
	if got != code {
		b.t.Fatalf("%s %v: exit code %d, want %d: %s", program, args, got, code, said.String())
	}
	return said.String()
}

// environment waits for a state of the session's environment.
func (b lab) environment(id blaise.SessionID, want blaise.EnvironmentState) api.Session {
	b.t.Helper()
	var s api.Session
	if !poll(limit, func() bool { s = b.show(id); return s.Environment.State == want }) {
		text, _ := json.MarshalIndent(s, "", " ")
		b.t.Fatalf("environment %s: not within %s:\n%s\n%s", want, limit, text, b.run("why", string(id)))
	}
	return s
}

func (b lab) url() string {
	b.t.Helper()
	var at api.Dev
	raw, err := os.ReadFile(filepath.Join(b.dir, "data", "serve.json"))
	if err != nil || json.Unmarshal(raw, &at) != nil {
		b.t.Fatalf("serve.json: %s, %v", raw, err)
	}
	return at.URL
}

func (b lab) serveJSON() bool {
	_, err := os.Stat(filepath.Join(b.dir, "data", "serve.json"))
	return err == nil
}

// killServe kills Blaise; serve starts it again on the same folder and port.
func (b lab) killServe() {
	b.t.Helper()
	var at api.Dev
	raw, err := os.ReadFile(filepath.Join(b.dir, "data", "serve.json"))
	if err != nil || json.Unmarshal(raw, &at) != nil {
		b.t.Fatalf("serve.json: %s, %v", raw, err)
	}
	b.kill(at.PID, syscall.SIGKILL)
	b.await("blaise gone", func() bool { return syscall.Kill(at.PID, 0) != nil || zombie(at.PID) })
	_ = os.Remove(filepath.Join(b.dir, "data", "serve.json"))
}

func (b lab) serve() {
	b.t.Helper()
	b.background("blaise", "serve")
	b.await("serve.json", b.serveJSON)
}

func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func (b lab) kill(pid int, sig syscall.Signal) {
	b.t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		b.t.Fatalf("signal %d: %v", pid, err)
	}
}

// runner starts one more runner.
func (b lab) runner(name string, args ...string) {
	b.t.Helper()
	b.runnerAt(b.url(), name, args...)
}

func (b lab) runnerAt(url, name string, args ...string) {
	b.t.Helper()
	b.background(b.newest("runner"), append([]string{"start", "--url", url, "--token-file", filepath.Join(b.dir, "token"),
		"--config", filepath.Join(b.dir, "repo", "blaise.yml"), "--state", filepath.Join(b.dir, name)}, args...)...)
	b.await("runner "+name, func() bool { _, err := daemon.ReadFace(filepath.Join(b.dir, name)); return err == nil })
}

// newest is the program after an upgrade, or the one that was built.
func (b lab) newest(program string) string {
	upgraded := filepath.Join(b.dir, "programs", program)
	if _, err := os.Stat(upgraded); err == nil {
		return upgraded
	}
	return program
}

func (b lab) daemon(state string) int {
	b.t.Helper()
	face, err := daemon.ReadFace(filepath.Join(b.dir, state))
	if err != nil {
		b.t.Fatal(err)
	}
	return face.PID
}

// goneDaemon waits until no daemon holds the state directory.
func (b lab) goneDaemon(state string) {
	b.t.Helper()
	b.await("daemon gone", func() bool { _, err := daemon.ReadFace(filepath.Join(b.dir, state)); return err != nil })
}

// runPID is the process of the only run of the first runner.
func (b lab) runPID() int {
	b.t.Helper()
	var runs []daemon.Run
	b.await("one run", func() bool {
		out := b.exec(filepath.Join(programs, "runner"), "runs", "list", "--json", "--state", filepath.Join(b.dir, "state"))
		return json.Unmarshal([]byte(out), &runs) == nil && len(runs) == 1
	})
	return runs[0].PID
}

func (b lab) runState(id blaise.SessionID, n int, want blaise.RunState) {
	b.t.Helper()
	b.await("run "+string(want), func() bool {
		runs := b.show(id).Runs
		return len(runs) >= n && runs[n-1].State == want
	})
}

// message waits until a message has a state.
func (b lab) message(id blaise.SessionID, n int, want blaise.MessageState) api.Message {
	b.t.Helper()
	var m api.Message
	if !poll(limit, func() bool {
		if all := b.show(id).Messages; len(all) >= n {
			m = all[n-1]
		}
		return m.State == want || m.State == blaise.MessageFailed
	}) || m.State != want {
		b.t.Fatalf("message %d is %s (%s), want %s\n%s", n, m.State, m.Reason, want, b.run("why", string(id)))
	}
	return m
}

func (b lab) transcript(id blaise.SessionID) string {
	b.t.Helper()
	return b.run("transcript", string(id), "--json")
}

// says waits until the transcript has some words.
func (b lab) says(id blaise.SessionID, words string) {
	b.t.Helper()
	b.await("transcript: "+words, func() bool { return strings.Contains(b.transcript(id), words) })
}

// why waits until `blaise why` has some words.
func (b lab) why(id, words string) {
	b.t.Helper()
	said := ""
	if !poll(limit, func() bool { said = b.run("why", id); return strings.Contains(said, words) }) {
		b.t.Fatalf("why %s has no %q:\n%s", id, words, said)
	}
}

func (b lab) lastRun(id blaise.SessionID) api.Run {
	b.t.Helper()
	runs := b.show(id).Runs
	return runs[len(runs)-1]
}

// writes has the agent write a file, and allows it.
func (b lab) writes(id blaise.SessionID, n int) {
	b.t.Helper()
	b.state(id, blaise.SessionParked)
	b.run("approve", string(id))
	b.answered(id, n)
}

func (b lab) saved(id blaise.SessionID) []string {
	b.t.Helper()
	return strings.Fields(b.exec("git", "for-each-ref", "--format=%(refname)", "refs/blaise/"+string(id)+"/"))
}

func (b lab) kinds(id blaise.SessionID) []string {
	b.t.Helper()
	var all []string
	for _, r := range b.show(id).Runs {
		all = append(all, string(r.Kind)+" "+string(r.Outcome))
	}
	return all
}

func (b lab) wantRuns(id blaise.SessionID, want ...string) {
	b.t.Helper()
	if got := b.kinds(id); !slices.Equal(got, want) {
		b.t.Errorf("runs: got %q, want %q", got, want)
	}
}

// history wants a change of a subject that came from a setting.
func (b lab) history(id blaise.SessionID, subject, setting string) {
	b.t.Helper()
	token, err := os.ReadFile(filepath.Join(b.dir, "data", "admin.token"))
	if err != nil {
		b.t.Fatal(err)
	}
	c := api.NewClient(b.url(), strings.TrimSpace(string(token)), api.ClientOptions{})
	all, err := c.History(b.t.Context(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	if !slices.ContainsFunc(all, func(h api.Change) bool {
		return h.Subject == subject && strings.Contains(h.Setting, setting)
	}) {
		b.t.Errorf("no history of %s with %q: %+v", subject, setting, all)
	}
}

// writeProgram writes what is started next. A child that another test forks
// meanwhile would hold it open for writing, and it could not be started.
func writeProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}
