package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/store/storetest"
)

// runners is how many instances share the one token.
const runners = 2

// markName is in the environment of all that the driver starts, and of all
// that this starts in turn: who is left at the end cannot hide.
const markName = "BLAISE_CHAOS_MARK"

// A world is Blaise as a team has it: the control plane, two instances of one
// runner, a repository, and a bad line between them.
type world struct {
	o      options
	f      *figures
	diary  *diary
	dir    string
	mark   string
	plane  *program
	runner [runners]*program
	wire   *wire
	claims *claims
	people *api.Client // the driver's own way to Blaise, past the bad line
	posts  *posts      // what was written to agents, as their witness file tells
	before [runners]map[string]bool
	small  string // a small disk, mounted; "" for none

	clock    *clock              // sets clocks wrong; nil where that cannot be done
	database *storetest.Postgres // nil for SQLite
}

func newWorld(ctx context.Context, o options, f *figures) (*world, error) {
	parent := os.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	dir, err := os.MkdirTemp(parent, "blaise-chaos-")
	if err != nil {
		return nil, err
	}
	w := &world{o: o, f: f, diary: &diary{}, dir: dir, claims: newClaims()}
	w.mark = filepath.Base(dir)
	w.posts = &posts{path: w.at("witness")}
	if w.o.bin == "" {
		w.o.bin = w.at("bin")
		if err := os.Mkdir(w.o.bin, 0o700); err == nil {
			err = build(ctx, w.o.bin)
		}
	}
	if err == nil {
		w.o.bin, err = filepath.Abs(w.o.bin)
	}
	return w, err
}

func (w *world) at(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

func (w *world) built(name string) string { return filepath.Join(w.o.bin, name) }

// remove takes the directory away, and whoever is left with the mark.
func (w *world) remove() {
	for _, p := range w.marked() {
		p.kill()
	}
	w.unmount()
	if !w.o.keep && w.f.violated() == 0 {
		_ = os.RemoveAll(w.dir) // in a directory for what is temporary
	}
}

func (w *world) env() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "BLAISE_") && !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "HOME=") {
			env = append(env, kv)
		}
	}
	return append(env, "HOME="+w.at("home"), markName+"="+w.mark, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=C", "GIT_AUTHOR_EMAIL=c@example.org", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.org")
}

// start makes all there is before the first life.
func (w *world) start(ctx context.Context) error {
	for _, d := range []string{"home", "repo", "locks", "state0", "state1"} {
		if err := os.MkdirAll(w.at(d), 0o700); err != nil {
			return err
		}
	}
	w.mount()
	w.wind()
	database, err := w.openDatabase()
	if err != nil {
		return err
	}
	if err := w.repository(ctx); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	w.plane = w.supervised("plane", "blaise",
		append([]string{"serve", "--data", w.at("data"), "--listen", address}, database...)...)
	if err := w.plane.start(); err != nil {
		return err
	}
	if err := w.signIn(ctx); err != nil {
		return err
	}
	if w.wire, err = openWire(w, "http://"+address); err != nil {
		return err
	}
	for i := range w.runner {
		w.runner[i] = w.supervised(fmt.Sprintf("runner%d", i), "runner", "start", "--url", w.wire.url(),
			"--token-file", w.at("token"), "--config", w.at("repo", "blaise.yml"), "--state", w.state(i),
			"--min-disk", "8") // the small disk has less than the default
		if err := w.runner[i].start(); err != nil {
			return err
		}
	}
	return w.settled(ctx)
}

func (w *world) state(i int) string { return w.at(fmt.Sprintf("state%d", i)) }

func (w *world) supervised(name, file string, args ...string) *program {
	return &program{name: name, log: w.at(name + ".log"), env: w.env(), dir: w.at("home"),
		argv: append([]string{w.built(file)}, args...)}
}

func (w *world) repository(ctx context.Context) error {
	config := fmt.Sprintf("version: 1\nagent:\n  command: [%q, agent, %q, %q]\n"+
		"  env: {BLAISE_DEMO_WITNESS: %q, BLAISE_DEMO_HOME: %q, %s: %q}\n"+
		"plugs:\n  - {use: worktree, id: src, repo: %q, base: main}\nrunner: {slots: 16}\n",
		w.built("chaos"), w.at("locks"), w.built("blaise"), w.at("witness"), w.at("home", "agent"),
		markName, w.mark, w.at("repo"))
	for name, text := range map[string]string{"README.md": "# A thing\n", "notes.txt": "one\ntwo\n", "blaise.yml": config} {
		if err := os.WriteFile(w.at("repo", name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "README.md", "notes.txt"}, {"commit", "-qm", "first"}} {
		if _, err := w.git(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// git runs git in the repository, again where another life's worktree went while
// git walked over them all.
func (w *world) git(ctx context.Context, args ...string) (string, error) {
	for tries := 1; ; tries++ {
		out, err := w.gitOnce(ctx, args...)
		if err == nil || tries == 20 || !strings.Contains(err.Error(), "/worktrees/") {
			return out, err
		}
	}
}

func (w *world) gitOnce(ctx context.Context, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", append([]string{"-C", w.at("repo")}, args...)...)
	c.Env = w.env()
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("git %v: %w: %s", args, err, exit.Stderr)
	}
	return string(out), err
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// signIn finds the control plane, and makes a token and the agents.
func (w *world) signIn(ctx context.Context) error {
	var at api.Dev
	if err := eventually(ctx, time.Minute, func() error {
		raw, err := os.ReadFile(w.at("data", "serve.json"))
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, &at)
	}); err != nil {
		return fmt.Errorf("wait for the control plane: %w", err)
	}
	w.people = api.NewClient(at.URL, at.Token, api.ClientOptions{Version: "chaos"})
	for _, m := range manifests() {
		if _, err := w.people.ApplyAgent(ctx, []byte(m), false); err != nil {
			return err
		}
	}
	c := exec.CommandContext(ctx, w.built("blaise"), "--data", w.at("data"), "token", "create", "fleet")
	c.Env = w.env()
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("create token: %w", err)
	}
	return os.WriteFile(w.at("token"), out, 0o600)
}

// settled waits until the runners are there, and remembers what their state
// directories hold before any life.
func (w *world) settled(ctx context.Context) error {
	return eventually(ctx, time.Minute, func() error {
		for i := range w.before {
			w.before[i] = below(w.state(i))
			if !w.before[i]["daemon.json"] || !w.before[i]["runs"] {
				return fmt.Errorf("runner %d is not there yet", i)
			}
		}
		return nil
	})
}

// stop ends the programs as a user does.
func (w *world) stop() error {
	var errs []error
	for _, p := range w.runner {
		if p != nil {
			errs = append(errs, p.end(syscall.SIGINT, time.Minute))
		}
	}
	if w.plane != nil {
		errs = append(errs, w.plane.end(syscall.SIGINT, 30*time.Second))
	}
	if w.wire != nil {
		w.wire.close()
	}
	if w.database != nil {
		errs = append(errs, w.database.Stop())
	}
	return errors.Join(errs...)
}

// eventually asks until there is no complaint, and gives the last one when time
// is up.
func eventually(ctx context.Context, within time.Duration, ask func() error) error {
	for end := time.Now().Add(within); ; {
		err := ask()
		if err == nil || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
