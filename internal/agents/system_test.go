package agents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/internal/fakemodel"
)

const (
	markName = "BLAISE_TEST_MARK"
	limit    = 240 * time.Second // agents are slow to start, and machines are busy
)

// A system is `blaise serve` and `runner start` on a repository of their own,
// with one product and one model.
type system struct {
	t       *testing.T
	dir     string
	mark    string
	env     []string
	model   *fakemodel.Model
	servers []*exec.Cmd
}

func startSystem(t *testing.T, p product, installed string) *system {
	t.Helper()
	dir := t.TempDir()
	s := &system{t: t, dir: dir, mark: fmt.Sprintf("agents-%d-%s", os.Getpid(), p.name), model: fakemodel.Start()}
	t.Cleanup(s.model.Close)
	t.Cleanup(func() { killAll(s.mark, dir) })
	home := filepath.Join(dir, "home")
	path := append([]string{programs}, p.searchPath(installed)...)
	s.env = []string{ // clean: no login or setting of whoever runs the test
		"HOME=" + home, "PATH=" + strings.Join(path, ":") + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=dumb",
		"BLAISE_DATA=" + filepath.Join(dir, "data"), markName + "=" + s.mark, "TMPDIR=" + os.TempDir(),
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.org",
	}
	for _, name := range []string{"http_proxy", "https_proxy", "no_proxy"} { // where there is no namespace
		if v := os.Getenv(name); v != "" {
			s.env = append(s.env, name+"="+v)
		}
	}
	fill := strings.NewReplacer("{url}", s.model.URL(), "{root}", s.model.Root(), "{home}", home)
	repo := filepath.Join(dir, "repo")
	for _, d := range []string{repo, home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.writeFiles(t, home, fill)
	s.write("repo/README.md", "# A thing\n")
	s.write("agent.yml", "apiVersion: blaise.dev/v1\nkind: Agent\nmetadata: {name: coder}\nspec: {gate: [{then: ask}]}\n")
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-qm", "first"}} {
		s.must("git", append([]string{"-C", repo}, args...)...)
	}
	s.write("repo/blaise.yml", p.config(fill))
	s.serve()
	return s
}

func (s *system) serve() {
	s.t.Helper()
	s.background("blaise", "serve", "--listen", "127.0.0.1:0")
	if err := s.await("serve.json", func() bool {
		_, err := os.Stat(filepath.Join(s.dir, "data", "serve.json"))
		return err == nil
	}); err != nil {
		s.t.Fatal(err)
	}
	var at api.Dev
	raw, err := os.ReadFile(filepath.Join(s.dir, "data", "serve.json"))
	if err != nil || json.Unmarshal(raw, &at) != nil {
		s.t.Fatalf("serve.json: %s, %v", raw, err)
	}
	s.write("token", s.must("blaise", "token", "create", "laptop"))
	s.must("blaise", "apply", "-f", filepath.Join(s.dir, "agent.yml"))
	s.background("runner", "start", "--url", at.URL, "--token-file", filepath.Join(s.dir, "token"),
		"--config", filepath.Join(s.dir, "repo", "blaise.yml"), "--state", filepath.Join(s.dir, "state"))
}

func (s *system) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// try runs a program of ours, or git.
func (s *system) try(program string, args ...string) (string, error) {
	if program != "git" {
		program = filepath.Join(programs, program)
	}
	c := exec.Command(program, args...)
	c.Env, c.Dir = s.env, filepath.Join(s.dir, "repo")
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}

func (s *system) must(program string, args ...string) string {
	s.t.Helper()
	out, err := s.try(program, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s *system) background(program string, args ...string) {
	s.t.Helper()
	c := exec.Command(filepath.Join(programs, program), args...)
	c.Env, c.Dir = s.env, filepath.Join(s.dir, "repo")
	log, err := os.Create(filepath.Join(s.dir, program+".log"))
	if err != nil {
		s.t.Fatal(err)
	}
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.servers = append(s.servers, c)
	s.t.Cleanup(func() {
		log.Close()
		if s.t.Failed() || testing.Verbose() {
			text, _ := os.ReadFile(log.Name())
			s.t.Logf("%s said:\n%s", program, text)
		}
	})
	s.t.Cleanup(s.stop)
}

// stop ends the runner and the control plane, and may be called twice.
func (s *system) stop() {
	for i := len(s.servers) - 1; i >= 0; i-- {
		_ = s.servers[i].Process.Signal(syscall.SIGINT) // gone already is as good
		_ = s.servers[i].Wait()                         // how it ended is no matter here
	}
	s.servers = nil
}

// await polls until it is done, and says what was not when the limit is over.
func (s *system) await(what string, done func() bool) error {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if done() {
			return nil
		}
	}
	return fmt.Errorf("%s: not within %s", what, limit)
}

// processes are those of the session: what there is beside our two servers.
func (s *system) processes() []process {
	var found []process
	for _, p := range processes(s.mark, s.dir) {
		ours := false
		for _, server := range s.servers {
			ours = ours || server.Process.Pid == p.pid
		}
		if !ours {
			found = append(found, p)
		}
	}
	return found
}

func (s *system) show(id blaise.SessionID) (api.Session, error) {
	var v api.Session
	out, err := s.try("blaise", "show", string(id), "--json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &v)
	}
	return v, err
}

func (s *system) worktree(id blaise.SessionID) (string, error) {
	out, err := s.try("git", "worktree", "list", "--porcelain")
	for entry := range strings.SplitSeq(out, "\n\n") {
		if strings.Contains(entry, "refs/heads/blaise/"+string(id)) {
			path, _, _ := strings.Cut(strings.TrimPrefix(entry, "worktree "), "\n")
			return path, nil
		}
	}
	return "", errors.Join(err, fmt.Errorf("session %s has no worktree", id))
}
