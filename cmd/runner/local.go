package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/daemon"

	"github.com/spf13/cobra"
)

func runsCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "runs", Short: "See and stop the runs on this machine (works without Blaise)",
		Example: "  runner runs list\n  runner runs stop s1a2b3c4.2",
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(runsListCommand(a), runsStopCommand(a))
	return c
}

func runsListCommand(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use: "list", Short: "List the runs of the daemon", Example: "  runner runs list --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := filepath.Abs(a.state)
			if err != nil {
				return err
			}
			runs, err := daemon.Runs(cmd.Context(), state)
			if err != nil {
				return err
			}
			if a.json {
				return a.print(runs)
			}
			w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "RUN\tKIND\tAGENT\tPID\tSINCE")
			for _, r := range runs {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", r.Run, r.Kind, printable(string(r.Agent)), r.PID,
					time.Since(r.Since).Round(time.Second))
			}
			return w.Flush()
		},
	})
}

func runsStopCommand(a *app) *cobra.Command {
	var teardown bool
	c := &cobra.Command{
		Use: "stop RUN", Short: "Pause a run from this machine, or end it with --teardown",
		Example: "  runner runs stop s1a2b3c4.2\n  runner runs stop s1a2b3c4.2 --teardown",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			state, err := filepath.Abs(a.state)
			if err != nil {
				return err
			}
			return daemon.Stop(cmd.Context(), state,
				daemon.StopRun{Run: blaise.RunID(args[0]), Teardown: teardown})
		},
	}
	c.Flags().BoolVar(&teardown, "teardown", false, "save the work, then destroy the environment, as on TERM")
	return c
}

func detachCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "detach", Short: "Make the daemon exit and leave its runs alone",
		Example: "  runner detach && runner start", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.signal(cmd.Context(), syscall.SIGUSR2) },
	}
}

func drainCommand(a *app) *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{
		Use: "drain", Short: "Take the daemon out of service without losing work, and wait until it is gone",
		Long: `Take the daemon out of service without losing work, and wait until it is gone.

The daemon takes nothing more. Blaise stops its runs so that their sessions can
be resumed, whatever their idle policy: a turn that is open ends first; one that
is still open after the timeout, or waits on a person, is cancelled. Which runs
are to go is said as often as it changes.`,
		Example: "  runner drain && install runner-2.0 && runner start\n  runner drain --timeout 5m", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := filepath.Abs(a.state)
			if err != nil {
				return err
			}
			err = daemon.DrainDaemon(cmd.Context(), state, daemon.DrainAll{Timeout: timeout})
			if err != nil {
				return err
			}
			return a.untilDrained(cmd.Context(), state)
		},
	}
	c.Flags().DurationVar(&timeout, "timeout", daemon.DrainTimeout, "how long turns may stay open")
	return c
}

// signal sends sig to the daemon of the state directory and waits until it is
// gone.
func (a *app) signal(ctx context.Context, sig syscall.Signal) error {
	state, err := filepath.Abs(a.state)
	if err != nil {
		return err
	}
	face, err := daemon.ReadFace(state)
	if err != nil {
		return err
	}
	if err := syscall.Kill(face.PID, sig); err != nil {
		return fmt.Errorf("signal the runner with pid %d: %w", face.PID, err)
	}
	return untilGone(ctx, state, func() {})
}

// untilDrained waits until the daemon is gone, and says which runs it waits for
// as often as they change.
func (a *app) untilDrained(ctx context.Context, state string) error {
	told := ""
	return untilGone(ctx, state, func() {
		runs, err := daemon.Runs(ctx, state)
		if err != nil || len(runs) == 0 {
			return // it is about to be gone
		}
		names := make([]string, len(runs))
		for i, r := range runs {
			names[i] = string(r.Run)
		}
		slices.Sort(names)
		if line := blaise.Count(len(runs), "run") + " to go: " + strings.Join(names, ", "); line != told {
			told = line
			fmt.Fprintln(a.err, line)
		}
	})
}

// untilGone waits until nobody holds the state directory; meanwhile is called
// as often as it looks.
func untilGone(ctx context.Context, state string, meanwhile func()) error {
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		if _, err := daemon.ReadFace(state); err != nil {
			return nil
		}
		meanwhile()
		select {
		case <-look.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
