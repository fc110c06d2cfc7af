package e2e_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/fakemodel"
)

// A realAgent is a product that needs no network at all: variable names its
// program, which `make test-all` installs.
type realAgent struct {
	variable, install string
	agent             func(program, url string) map[string]any // the agent of blaise.yml
}

var realAgents = []realAgent{
	{"BLAISE_TEST_CODEX", "@zed-industries/codex-acp-linux-x64@0.16.0", codexConfig},
	{"BLAISE_TEST_OPENCODE", "opencode-linux-x64@1.18.33", opencodeConfig},
}

// TestARealAgentRemembers drives real agents against a model on loopback:
// start, permission, kill -9 in the middle of a turn, pause, resume. That they
// remember is proved by what the model received.
func TestARealAgentRemembers(t *testing.T) {
	t.Parallel()
	for _, a := range realAgents {
		t.Run(a.variable, func(t *testing.T) {
			program := os.Getenv(a.variable)
			if program == "" {
				t.Skipf("%s is not set: install %s and name its program", a.variable, a.install)
			}
			model := fakemodel.Start()
			t.Cleanup(model.Close)
			config, _ := json.Marshal(map[string]any{ // JSON is YAML; plain values always marshal
				"version": 1, "agent": a.agent(program, model.URL()),
				"plugs": []any{map[string]any{"use": "worktree", "id": "src", "repo": "."}},
			})
			remembers(startSplit(t, string(config)), program, model)
		})
	}
}

func remembers(b *split, program string, model *fakemodel.Model) {
	id := b.start("first words: amber")
	b.answered(id, 1)
	file := filepath.Join(b.worktree(id), "out1.txt")
	b.say(id, "please write "+file)
	b.state(id, blaise.SessionParked)
	b.run("approve", string(id))
	b.answered(id, 2)
	if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), fakemodel.Content) {
		b.t.Fatalf("the file the agent wrote: got %q, %v", got, err)
	}

	b.say(id, "hang on")
	b.modelSaw(model, "hang on")
	b.killAgent(program)
	b.modelSaw(model, "interrupted", "first words: amber") // the same run started it again and asks it to go on
	b.answered(id, 3)

	b.run("pause", string(id))
	b.state(id, blaise.SessionPaused)
	b.goneAgent(program)
	b.say(id, "second words: birch")
	b.answered(id, 4)
	b.modelSaw(model, "first words: amber", "second words: birch", "please write ")
	if s := b.show(id); s.Context != blaise.ContextFull {
		b.t.Errorf("context: got %s, want full", s.Context)
	}
	b.run("end", string(id))
	b.await("environment destroyed", func() bool { return b.show(id).Environment.State == blaise.EnvDestroyed })
	b.goneAgent(program)
}

func codexConfig(program, url string) map[string]any {
	provider := fmt.Sprintf(`model_providers.fake={name="fake",base_url=%q,wire_api="responses",request_max_retries=0,stream_max_retries=0}`, url)
	return map[string]any{"command": []string{
		program, "-c", `model="gpt-5.4"`, "-c", `model_provider="fake"`, "-c", provider, "-c", `sandbox_mode="read-only"`,
	}}
}

func opencodeConfig(program, url string) map[string]any {
	config := fmt.Sprintf(`{"model":"fake/fake-model","small_model":"fake/fake-model","autoupdate":false,`+
		`"share":"disabled","permission":{"edit":"ask","bash":"ask"},"provider":{"fake":{`+
		`"npm":"@ai-sdk/openai-compatible","name":"Fake","options":{"baseURL":%q,"apiKey":"fake"},`+
		`"models":{"fake-model":{"name":"Fake Model","limit":{"context":100000,"output":4096}}}}}}`, url)
	return map[string]any{
		"command": []string{program, "acp", "--pure"},
		"env":     map[string]string{"OPENCODE_CONFIG_CONTENT": config, "OPENCODE_DISABLE_MODELS_FETCH": "1"},
	}
}

// A split is `blaise serve` and `runner start` on a repository of their own.
type split struct {
	t   *testing.T
	dir string
	env []string
}

// startSplit starts both; serve are more arguments of the control plane.
func startSplit(t *testing.T, config string, serve ...string) *split {
	t.Helper()
	dir := t.TempDir()
	mark := fmt.Sprintf("e2e-%d-%s", os.Getpid(), filepath.Base(t.Name()))
	b := &split{t: t, dir: dir}
	b.env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"), "BLAISE_DATA="+filepath.Join(dir, "data"),
		"PATH="+programs+":"+os.Getenv("PATH"), markName+"="+mark,
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.org")
	t.Cleanup(func() { killLeft(mark, dir) })
	repo := filepath.Join(dir, "repo")
	for _, d := range []string{repo, filepath.Join(dir, "home")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.write("repo/README.md", "# A thing\n")
	b.write("agent.yml", "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: coder}\nspec: {gate: [{then: ask}]}\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-qm", "first"}} {
		b.exec("git", append([]string{"-C", repo}, args...)...)
	}
	b.write("repo/blaise.yml", config)
	b.background("blaise", append([]string{"serve", "--listen", "127.0.0.1:0"}, serve...)...)
	b.await("serve.json", func() bool { _, err := os.Stat(filepath.Join(dir, "data", "serve.json")); return err == nil })
	var at api.Dev
	raw, err := os.ReadFile(filepath.Join(dir, "data", "serve.json"))
	if err != nil || json.Unmarshal(raw, &at) != nil {
		t.Fatalf("serve.json: %s, %v", raw, err)
	}
	b.write("token", b.run("token", "create", "laptop"))
	b.run("apply", "-f", filepath.Join(dir, "agent.yml"))
	b.background("runner", "start", "--url", at.URL, "--token-file", filepath.Join(dir, "token"),
		"--config", filepath.Join(repo, "blaise.yml"), "--state", filepath.Join(dir, "state"))
	return b
}

func (b *split) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *split) exec(program string, args ...string) string {
	b.t.Helper()
	ctx, stop := bounded()
	defer stop()
	c := exec.CommandContext(ctx, program, args...)
	c.Env, c.Dir = b.env, filepath.Join(b.dir, "repo")
	out, err := c.Output()
	if err != nil {
		b.t.Fatalf("%s %v: %v\n%s%s", program, args, cmp.Or(context.Cause(ctx), err), out, stderrOf(err))
	}
	return string(out)
}

// bounded ends a program that waits for what does not come: what it has said
// then is worth more than a whole package that times out.
func bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.Background(), 2*limit, fmt.Errorf("it did not end within %s", 2*limit))
}

func stderrOf(err error) []byte {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.Stderr
	}
	return nil
}

func (b *split) run(args ...string) string {
	b.t.Helper()
	return b.exec(filepath.Join(programs, "blaise"), args...)
}

// background starts a program that is interrupted, and waited for, at the end.
func (b *split) background(program string, args ...string) {
	b.t.Helper()
	if !filepath.IsAbs(program) {
		program = filepath.Join(programs, program)
	}
	c := exec.Command(program, args...)
	program = filepath.Base(program)
	c.Env, c.Dir = b.env, filepath.Join(b.dir, "repo")
	log, err := os.Create(filepath.Join(b.dir, program+".log"))
	if err != nil {
		b.t.Fatal(err)
	}
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGINT) // gone already is as good
		_ = c.Wait()                         // how it ended is no matter here
		log.Close()
		if b.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			b.t.Logf("%s said:\n%s", program, text)
		}
	})
}

func (b *split) await(what string, done func() bool) {
	b.t.Helper()
	if !poll(limit, done) {
		b.t.Fatalf("%s: not within %s", what, limit)
	}
}

func (b *split) start(text string, flags ...string) blaise.SessionID {
	b.t.Helper()
	var p api.Posted
	if err := json.Unmarshal([]byte(b.run(append([]string{"start", "--agent", "coder", "--json", text}, flags...)...)), &p); err != nil {
		b.t.Fatal(err)
	}
	return p.Session
}

func (b *split) say(id blaise.SessionID, text string) { b.t.Helper(); b.run("say", string(id), text) }

func (b *split) show(id blaise.SessionID) api.Session {
	b.t.Helper()
	var s api.Session
	if err := json.Unmarshal([]byte(b.run("show", string(id), "--json")), &s); err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *split) state(id blaise.SessionID, want blaise.SessionState) {
	b.t.Helper()
	b.await("session "+string(want), func() bool { return b.show(id).State == want })
}

func (b *split) answered(id blaise.SessionID, n int) {
	b.t.Helper()
	b.await(fmt.Sprintf("message %d answered", n), func() bool {
		all := b.show(id).Messages
		if len(all) >= n && all[n-1].State == blaise.MessageFailed {
			b.t.Fatalf("message %d failed: %s", n, all[n-1].Reason)
		}
		return len(all) >= n && all[n-1].State == blaise.MessageAnswered
	})
}

func (b *split) worktree(id blaise.SessionID) string {
	b.t.Helper()
	for entry := range strings.SplitSeq(b.exec("git", "worktree", "list", "--porcelain"), "\n\n") {
		if strings.Contains(entry, "refs/heads/blaise/"+string(id)) {
			path, _, _ := strings.Cut(strings.TrimPrefix(entry, "worktree "), "\n")
			return path
		}
	}
	b.t.Fatalf("session %s has no worktree", id)
	return ""
}

// modelSaw waits until one request of the model has all the words.
func (b *split) modelSaw(m *fakemodel.Model, words ...string) {
	b.t.Helper()
	b.await(fmt.Sprintf("the model to be asked: %q", words), func() bool {
		return slices.ContainsFunc(m.Seen(), func(s string) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
		})
	})
}

func (b *split) agents(program string) []process {
	var found []process
	for _, p := range left("", b.dir) {
		if strings.HasPrefix(p.args, program+" ") {
			found = append(found, p)
		}
	}
	return found
}

func (b *split) killAgent(program string) {
	b.t.Helper()
	all := b.agents(program)
	if len(all) != 1 {
		b.t.Fatalf("want one agent, there are %v", all)
	}
	if err := syscall.Kill(all[0].pid, syscall.SIGKILL); err != nil {
		b.t.Fatal(err)
	}
}

func (b *split) goneAgent(program string) {
	b.t.Helper()
	b.await("no agent left", func() bool { return len(b.agents(program)) == 0 })
}
