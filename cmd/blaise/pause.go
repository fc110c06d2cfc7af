package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func pauseCommand(a *app) *cobra.Command {
	var reason string
	var noWait, yes bool
	c := &cobra.Command{
		Use: "pause ID", Short: "Pause a session now; a message wakes it",
		Long: "Pauses a session, and waits until its work is saved and its run is gone: what follows, as\n" +
			"`blaise push`, has that save. A turn that is open is cancelled. The next message wakes it:\n" +
			"one that is queued already would at once, so that nothing is paused then unless you say\n" +
			"--yes. Ctrl-C ends the waiting alone.",
		Example: "  blaise pause k3v9 && blaise push k3v9", Args: exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			s, err := found(ctx, c, args[0])
			if err != nil {
				return err
			}
			if err := wokenAtOnce(s); err != nil && !yes {
				return err
			}
			if err := c.Pause(ctx, s.ID, reason); err != nil {
				return err
			}
			if _, err = fmt.Fprintf(a.out, "session %s: pausing\n", s.ID); err != nil || noWait {
				return err
			}
			return a.awaitPause(ctx, c, s)
		}),
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for the record")
	c.Flags().BoolVar(&noWait, "no-wait", false, "return at once; the pause goes on")
	c.Flags().BoolVar(&yes, "yes", false, "pause it though a message that is queued wakes it at once")
	return c
}

// wokenAtOnce refuses a pause that would not last: messages wait that wake the
// session as soon as it is paused.
func wokenAtOnce(s api.Session) error {
	switch s.State {
	case blaise.SessionWorking, blaise.SessionParked, blaise.SessionIdle:
	default:
		return nil // there is nothing to pause, and Blaise says why
	}
	queued := queuedOf(s)
	if len(queued) == 0 {
		return nil
	}
	var back []string
	for _, m := range queued {
		back = append(back, withdrawOf(m.ID))
	}
	return blaise.Errorf(blaise.CodeRefused, "session %s would not stay paused: %s would wake it at once; nothing has changed",
		s.ID, blaise.Count(len(queued), "queued message")).
		WithHint("take it back first: `%s`; or pause all the same, and have it answered by the next run: --yes",
			strings.Join(back, " && "))
}

// queuedOf are the messages of a session that the agent has not been given.
func queuedOf(s api.Session) []api.Message {
	return slices.DeleteFunc(slices.Clone(s.Messages), func(m api.Message) bool {
		return m.State != blaise.MessageQueued
	})
}

// withdrawOf is the command that takes a queued message back.
func withdrawOf(id blaise.MessageID) string {
	session, short := splitID(string(id))
	return "blaise withdraw " + session + " " + short
}

// awaitPause waits until the run that a session had is over, however that came.
func (a *app) awaitPause(ctx context.Context, c *api.Client, was api.Session) error {
	w := newWaitTeller(a, string(was.ID))
	s, err := a.until(ctx, c, was.ID, func(s api.Session) bool {
		w.tell(ctx, c)
		n := len(was.Runs)
		return s.Held || n == 0 || len(s.Runs) > n || len(s.Runs) == n && s.Runs[n-1].State == blaise.RunEnded
	})
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(a.err, "session %s goes on pausing; see `blaise show %s`\n", was.ID, was.ID)
		return err
	case err != nil:
		return err
	case s.Held:
		_, err = fmt.Fprintf(a.out, "the session is held: it pauses after `blaise release %s`\n", was.ID)
		return err
	}
	if s.Environment.State == blaise.EnvPaused && s.Environment.LastError != "" {
		return waitedFor(blaise.Errorf(blaise.CodeRefused, "session %s: %s, and its work is not saved: %s",
			was.ID, s.State, s.Environment.LastError).
			WithHint("it is in the environment still: mend that, and the next pause saves it"))
	}
	state := string(s.State)
	if woke := queuedOf(was); len(woke) > 0 && s.State != blaise.SessionPaused && s.State != blaise.SessionEnded {
		state = "paused, and woken again by message " + string(woke[0].ID)
	}
	_, err = fmt.Fprintf(a.out, "session %s: %s; %s\n", was.ID, state, savedAs(s))
	return err
}
