package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/internal/logs"
	"blaise.dev/blaise/store"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

const (
	devSlots   = 8
	devRunner  = "dev"          // the name of the runner inside
	runnerFile = "runner.token" // its token
	// pauseAll is how long sessions may take to pause when dev stops.
	pauseAll = 20 * time.Second
)

type devOptions struct {
	data, repo, agent, listen string
	hosts                     []string
	logs                      logs.Options
	debug                     bool
}

func devCommand(a *app) *cobra.Command {
	var o devOptions
	c := &cobra.Command{
		Use: "dev", Short: "Run the whole system in one process, to try it or work with it",
		Long: `Runs control plane, dashboard and a runner in one process, on SQLite in the data
folder. Each run is a process of its own. Sessions work in worktrees of the
repository, on branches blaise/SESSION. A blaise.yml in the repository is used;
without one, one is made for each agent in the data folder.

Agents are demo, which needs nothing, and those of claude, codex, opencode and
gemini that are installed. Ctrl-C pauses what runs; the next start with the same
data folder goes on, on the same port. A turn that is open then is cancelled: send
its message again.`,
		Example: "  blaise dev\n  blaise dev --repo ~/src/thing --agent claude",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.data, err = a.folder(); err != nil {
				return err
			}
			return a.dev(cmd.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.repo, "repo", "", "the git repository to work on (default the one you are in)")
	f.StringVar(&o.agent, "agent", "", "the `agent` that 'blaise start' takes when none is named")
	f.StringVar(&o.listen, "listen", "", "`HOST:PORT` to listen on (default "+defaultListen+", or any free port)")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "another Host name that requests may carry")
	o.logs.Flags(f)
	f.BoolVar(&o.debug, "debug", false, "log to stderr too, from debug on")
	return c
}

// A house is all that `blaise dev` runs.
type house struct {
	a      *app
	o      devOptions
	plane  *plane
	agents devAgents
	daemon *daemon.Daemon
	token  string // the owner's
	log    *slog.Logger
}

func (a *app) dev(ctx context.Context, o devOptions) (err error) {
	if err := store.CheckFree(filepath.Join(o.data, "db")); err != nil { // before anything is made there
		return inUse(err, o.data)
	}
	agents, err := findAgents(ctx, o)
	if err != nil {
		return err
	}
	agents.sayProblems(ctx, a.err)
	agents.sayMoved(a.err, o.data)
	logTo, err := openLog(o.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, logTo.Close()) }()
	var to io.Writer = logTo
	if o.debug {
		to = io.MultiWriter(logTo, a.err)
	}
	h := &house{a: a, o: o, agents: agents}
	if h.log, err = newLog(to, o.logs, o.debug); err != nil {
		return err
	}
	if err := h.open(ctx); err != nil {
		return err
	}
	defer func() { err = joinClose(err, h.plane) }()
	return h.run(ctx)
}

// openLog begins the log anew when it has grown large.
func openLog(data string) (*os.File, error) {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	path := filepath.Join(data, logFile)
	mode := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if st, err := os.Stat(path); err == nil && st.Size() > 32<<20 {
		mode |= os.O_TRUNC
	}
	return os.OpenFile(path, mode, 0o600)
}

// open makes all that runs, without starting it.
func (h *house) open(ctx context.Context) error {
	var err error
	h.plane, err = openPlane(ctx, planeOptions{
		data: h.o.data, listen: h.o.listen, hosts: h.o.hosts, log: h.log,
		privateHooks: true, // who asks is the one whose machine this is
	})
	if err != nil {
		return inUse(err, h.o.data)
	}
	if err := h.furnish(ctx); err != nil {
		return joinClose(err, h.plane)
	}
	return nil
}

// furnish makes tokens, agents and the daemon.
func (h *house) furnish(ctx context.Context) error {
	var err error
	if h.token, _, err = h.plane.admin(ctx); err != nil {
		return err
	}
	runner, err := h.runnerToken(ctx)
	if err != nil {
		return err
	}
	if err := h.agents.write(h.o.data); err != nil {
		return err
	}
	if err := h.agents.apply(ctx, h.plane.control); err != nil {
		return err
	}
	h.daemon = daemon.New(daemon.Config{
		URL:      "http://" + h.plane.listener.Addr().String(),
		Token:    func() (string, error) { return runner, nil },
		StateDir: filepath.Join(h.o.data, "runner"),
		ConfigFor: func(name blaise.AgentName) string {
			return h.agents.config(h.o.data, name)
		},
		Configs:  func() []string { return h.agents.configs(h.o.data) },
		Command:  func(program string) []string { return []string{program, "runner", "run"} },
		Describe: func() (daemon.Description, error) { return h.agents.describe(), nil },
		Tracer:   h.plane.tracer,
		Version:  programVersion(), Log: h.log, LogFormat: h.o.logs.Format, LogLevel: h.o.logs.Level,
	})
	return nil
}

// runnerToken is the token of the runner inside; it is made once.
func (h *house) runnerToken(ctx context.Context) (string, error) {
	path := filepath.Join(h.o.data, runnerFile)
	token, err := readToken(path)
	if err != nil {
		return "", err
	}
	if token != "" {
		_, err := h.plane.control.ByRunnerToken(ctx, token)
		if blaise.CodeOf(err) != blaise.CodeDenied || err == nil {
			return token, err
		}
	}
	_, token, err = h.plane.control.NewRunner(ctx, userName(), devRunner, nil, false)
	if err != nil {
		return "", err
	}
	return token, writePrivate(path, []byte(token+"\n"))
}

// run works until ctx ends, pauses what runs, and stops.
func (h *house) run(ctx context.Context) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, work := errgroup.WithContext(work)
	g.Go(func() error { return h.plane.run(work) })
	// A daemon that leaves lets its runs go on: the next one adopts them.
	g.Go(func() error { return h.daemon.Run(work) })
	g.Go(func() error {
		defer stop()
		if err := h.ready(work); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			h.pause(work)
		case <-work.Done():
		}
		return nil
	})
	err := g.Wait()
	_ = os.Remove(filepath.Join(h.o.data, devFile)) // it says where we were
	return err
}

// ready waits for the runner inside, says where Blaise is, and how to use it.
func (h *house) ready(ctx context.Context) error {
	c := h.plane.client(h.token)
	if err := h.runnerUp(ctx, c); err != nil {
		return err
	}
	link, err := c.LoginLink(ctx)
	if err != nil {
		return err
	}
	at := api.Dev{URL: h.plane.url, Token: h.token, PID: os.Getpid()}
	if err := writePrivateJSON(filepath.Join(h.o.data, devFile), at); err != nil {
		return err
	}
	out := h.a.out
	fmt.Fprintf(out, "Blaise is ready at %s\n", h.plane.url)
	fmt.Fprintf(out, "  data        %s\n", h.o.data)
	fmt.Fprintf(out, "  repository  %s%s\n", h.agents.repo, h.agents.remark)
	fmt.Fprintf(out, "  agents      %s\n", strings.Join(h.agents.names, ", "))
	fmt.Fprintf(out, "Open in a browser, once: %s\n", link.URL)
	where := ""
	if h.o.data != defaultData() {
		where = "export BLAISE_DATA=" + h.o.data + "; "
	}
	fmt.Fprintf(out, "Or in another terminal:  %sblaise start --agent %s --wait \"hello\"\n", where, h.agents.names[0])
	fmt.Fprintln(out, "Ctrl-C pauses what runs; the next start goes on (an open turn is cancelled: send it again).")
	return nil
}

// runnerUp waits until the runner inside has said hello.
func (h *house) runnerUp(ctx context.Context, c *api.Client) error {
	for {
		all, err := c.Runners(ctx)
		if err != nil {
			return err
		}
		for _, r := range all {
			if state, _ := runnerState(r); r.Name == devRunner && state != "offline" && !r.Revoked {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return nil // another part says why
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// inUse says in plain words that a data folder has a Blaise already.
func inUse(err error, data string) error {
	at, readErr := readDev(data)
	if readErr != nil || at.URL == "" || blaise.CodeOf(err) == blaise.CodeInvalid {
		return err
	}
	return blaise.Errorf(blaise.CodeRefused, "open data folder %s: %v", data, err).
		WithHint("a Blaise is at %s already; use it, or choose another folder with --data", at.URL)
}

func joinClose(err error, p *plane) error { return errors.Join(err, p.close()) }
