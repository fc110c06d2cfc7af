package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/internal/check"
	"blaise.dev/blaise/internal/logs"
	"blaise.dev/blaise/internal/service"
	"blaise.dev/blaise/internal/trace"

	"github.com/spf13/cobra"
)

func startCommand(a *app) *cobra.Command {
	var o startOptions
	c := &cobra.Command{
		Use: "start", Short: "Take runs from Blaise until told to stop",
		Long: `Take runs from Blaise until told to stop.

  INT, TERM  end the runs and their sessions (the work is saved), then exit; a
             second one: exit at once, the runs end by themselves
  HUP        read the token and blaise.yml again
  USR1       take nothing more, pause the runs, exit then (runner drain)
  USR2       exit at once and leave the runs alone (runner detach); the next
             start with the same --state adopts them

A session that is ended is over; one that is paused goes on where the next start
takes it up. To stop a runner without ending a session: runner drain. At a
terminal Ctrl-C (INT) says first which sessions it would end, and a second one
within 10 seconds ends them.`,
		Example: "  runner start --url http://127.0.0.1:4420 --token-file token\n" +
			"  BLAISE_URL=... BLAISE_RUNNER_TOKEN=... runner start --once",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.url = cmp.Or(o.url, os.Getenv("BLAISE_URL"))
			if o.url == "" {
				return usage("where is Blaise?").WithHint("say it with --url or BLAISE_URL")
			}
			return a.start(cmd.Context(), o)
		},
	}
	c.Flags().StringVar(&o.url, "url", "", "where Blaise is (BLAISE_URL)")
	c.Flags().StringVar(&o.tokenFile, "token-file", "", "a file with the runner token (else BLAISE_RUNNER_TOKEN)")
	c.Flags().BoolVar(&o.once, "once", false, "take one run, and exit when it has ended: 0 it is done, 6 it failed")
	c.Flags().DurationVar(&o.wait, "wait", 0, "with --once: exit with 3 when no run has come for so long (0: wait for ever)")
	c.Flags().DurationVar(&o.giveUp, "give-up", 2*time.Minute, "with --once: exit with 5 when Blaise cannot be reached for so long")
	o.logs.Flags(c.Flags())
	c.Flags().StringVar(&o.watch, "metrics-listen", "", "a `HOST:PORT` for /metrics, /statusz, /livez and /readyz")
	c.Flags().Uint64Var(&o.minDisk, "min-disk", 256, "take no run with less disk free, in MB")
	c.Flags().Uint64Var(&o.minMemory, "min-memory", 128, "take no run with less memory available, in MB")
	return c
}

type startOptions struct {
	url, tokenFile     string
	watch              string
	logs               logs.Options
	once               bool
	giveUp, wait       time.Duration
	minDisk, minMemory uint64 // MB
}

func (a *app) start(ctx context.Context, o startOptions) error {
	file, err := filepath.Abs(a.config)
	if err != nil {
		return err
	}
	state, err := filepath.Abs(a.state)
	if err != nil {
		return err
	}
	log, err := o.logs.New(a.err)
	if err != nil {
		return usage("%v", err)
	}
	if err := checkFirst(ctx, log, file); err != nil {
		return err
	}
	tracer := trace.FromEnv("blaise-runner", programVersion())
	defer tracer.Start(log)()
	d := daemon.New(daemon.Config{
		Tracer: tracer,
		URL:    o.url, StateDir: state, Once: o.once, GiveUp: o.giveUp, Idle: o.wait, Version: programVersion(),
		Admission: daemon.Admission{Disk: o.minDisk << 20, Memory: o.minMemory << 20,
			Plugs: (&check.Gate{File: file}).Ready},
		Token:     func() (string, error) { return token(o.tokenFile) },
		ConfigFor: func(blaise.AgentName) string { return file },
		Command:   func(program string) []string { return []string{program, "run"} },
		Describe:  func() (daemon.Description, error) { return describe(log, file, state) },
		Ready:     func() { service.Ready(log) },
		Log:       log, LogFormat: o.logs.Format, LogLevel: o.logs.Level,
	})
	stop, err := watch(o.watch, d.Watch())
	if err != nil {
		return err
	}
	defer stop()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	defer a.ear(d, log, leave).hear()()
	err = d.Run(ctx)
	if o.once && err != nil && blaise.CodeOf(err) == blaise.CodeInternal {
		return errors.Join(err, errWaited)
	}
	return err
}

// checkFirst refuses a configuration that cannot be read, and logs what else
// would keep a run from working: it may be mended while the runner waits.
func checkFirst(ctx context.Context, log *slog.Logger, file string) error {
	_, found, err := check.File(ctx, file)
	if err != nil {
		return badConfig(file, err)
	}
	for _, f := range check.Bad(found) {
		log.Warn("a run would not work", "what", f.What, "problem", f.Text)
	}
	return nil
}

// describe is what blaise.yml lets this instance offer. Each problem of the file
// is a line of the log.
func describe(log *slog.Logger, file, state string) (daemon.Description, error) {
	cfg, err := config.Read(file)
	var all config.Problems
	if errors.As(err, &all) {
		for _, p := range all {
			log.Error("blaise.yml is wrong", "at", fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column), "problem", p.Text)
		}
		return daemon.Description{}, usage("%s in %s", check.Plural(len(all), "problem"), file)
	}
	if err != nil {
		return daemon.Description{}, err
	}
	about := daemon.Description{
		Slots: cfg.Runner.Slots, Labels: cfg.Runner.Labels, Probed: probes(state),
	}
	if cfg.Agent.Use != "" {
		about.Agents = []string{cfg.Agent.Use}
	}
	return about, nil
}
