package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
)

// takenWithin is how long an offered run may wait for a runner while a person
// waits for a shell in it.
const takenWithin = 20 * time.Second

// OpenShell has the live run of a session open a shell. A sleeping session is
// opened for it, which OpenShell waits for; who gives up before that takes the
// wish back. CodeRefused: there can be no shell, or the run for it came to
// nothing; CodeUnreachable: no runner took it.
func (c *Control) OpenShell(ctx context.Context, id blaise.SessionID, asked blaise.Event) error {
	woken, leave := c.hub.Follow(TopicSession(id))
	defer leave()
	plan, err := c.Apply(ctx, id, asked)
	if err != nil || plan.Verdict != blaise.VerdictPending {
		return err
	}
	late := c.now().Add(takenWithin)
	for err == nil && plan.Verdict == blaise.VerdictPending {
		run := *plan.Next.Run
		select {
		case <-ctx.Done():
		case <-woken:
		case <-time.After(time.Second):
		}
		if err = c.stillComes(ctx, run.ID, late); err == nil {
			plan, err = c.Apply(ctx, id, asked)
		}
	}
	if err != nil {
		c.giveUpShell(ctx, id, asked, err)
	}
	return err
}

// stillComes says why the run that a shell waits for has come to nothing. One
// that was withdrawn has another in its place.
func (c *Control) stillComes(ctx context.Context, id blaise.RunID, late time.Time) error {
	run, err := c.RunOf(ctx, id)
	switch {
	case err != nil:
		return err
	case run.State == blaise.RunOffered && c.now().After(late):
		return blaise.Errorf(blaise.CodeUnreachable, "no runner took run %s within %s", run.ID, takenWithin).
			WithHint("blaise why %s", id.Session())
	case run.Final() && !run.AcceptedAt.IsZero():
		return blaise.Errorf(blaise.CodeRefused, "run %s, which was to open the environment, ended %s: %s",
			run.ID, run.Outcome, run.Reason).WithHint("blaise why %s", id.Session())
	}
	return nil
}

func (c *Control) giveUpShell(ctx context.Context, id blaise.SessionID, asked blaise.Event, why error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	asked.Kind, asked.Reason = blaise.EventShellClosed, "it was never open: "+why.Error()
	if _, err := c.Apply(ctx, id, asked); err != nil {
		c.log.Error("wish for a shell not taken back", "session", id, "error", err)
	}
}
