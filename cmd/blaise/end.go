package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

// lookAgain is how often a command looks at what it waits for.
const lookAgain = 200 * time.Millisecond

func endCommand(a *app) *cobra.Command {
	var reason string
	var noWait, force bool
	c := &cobra.Command{
		Use: "end ID", Short: "End a session; what it made is saved and taken down",
		Long: "Ends a session, and waits until its work is saved and its environment is taken down.\n" +
			"A running one is ended when its run has received the stop; if none can, nothing changes\n" +
			"and it can be asked again. Ctrl-C ends the waiting alone. Where the work cannot be saved\n" +
			"nothing is taken down, unless --force gives it up, for a reason that is kept.",
		Example: "  blaise end k3v9\n  blaise end k3v9 --force --reason \"the disk is broken\"", Args: exactArgs("a session"),
		RunE: a.asks(func(ctx context.Context, c *api.Client, args []string) error {
			if force && reason == "" {
				return usage("--force needs a --reason: it is kept in the record")
			}
			id, err := session(ctx, c, args[0])
			if err != nil {
				return err
			}
			end := c.End
			if force {
				end = c.Discard
			}
			if err := end(ctx, id, reason); err != nil {
				return err
			}
			if noWait {
				_, err = fmt.Fprintf(a.out, "session %s: ending; saving its work and taking its environment down "+
					"goes on (blaise watch %s)\n", id, id)
				return err
			}
			return a.awaitEnd(ctx, c, id)
		}),
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for the record")
	c.Flags().BoolVar(&force, "force", false, "take it down even if the work cannot be saved")
	c.Flags().BoolVar(&noWait, "no-wait", false, "return at once; what ending does goes on")
	return c
}

// awaitEnd waits until nothing more happens to the environment of a session
// that ends, and says what became of it.
func (a *app) awaitEnd(ctx context.Context, c *api.Client, id blaise.SessionID) error {
	fmt.Fprintf(a.out, "ending %s: saving the work, taking the environment down\n", id)
	w := newWaitTeller(a, string(id))
	s, err := a.until(ctx, c, id, func(s api.Session) bool {
		w.tell(ctx, c)
		return s.Held || s.Over()
	})
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(a.err, "session %s goes on ending; see `blaise show %s`\n", id, id)
		return err
	case err != nil:
		return err
	case s.Environment.State == blaise.EnvOrphaned:
		return waitedFor(blaise.Errorf(blaise.CodeRefused, "the environment of session %s is orphaned: %s", id, s.Environment.LastError).
			WithHint("mend that, then `blaise retry-teardown %s`; to give the work up add --discard --reason WHY", id))
	case !s.Environment.State.Rests():
		_, err = fmt.Fprintf(a.out, "the session is held: its environment stays until `blaise release %s`\n", id)
		return err
	}
	_, err = fmt.Fprintf(a.out, "session %s: ended; %s\n", id, savedAs(s))
	return err
}

// savedAs says where the work of a session is.
func savedAs(s api.Session) string {
	save, err := lastSave(s)
	if err != nil {
		return "there was no work to save"
	}
	return "the work is saved as " + save.Ref
}

// until looks at a session until done is true of it, or ctx ends.
func (a *app) until(
	ctx context.Context, c *api.Client, id blaise.SessionID, done func(api.Session) bool,
) (api.Session, error) {
	for {
		s, err := c.Session(ctx, id)
		if err != nil || done(s) {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
}
