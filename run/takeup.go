package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
)

const (
	loadTries = 3
	loadPause = 500 * time.Millisecond
)

// takeUp starts the agent and takes up the conversation there was. A failure
// that may pass is tried again with a fresh process: only an agent that says it
// does not have the conversation leads to a new one (X6).
func (c *conversation) takeUp(ctx context.Context) error {
	var err error
	for try := range loadTries {
		c.tries = try + 1
		if try > 0 {
			c.r.notice("Loading the conversation did not work and is tried again.",
				map[string]any{"reason": err.Error(), "try": try + 1})
			if err := sleep(ctx, loadPause<<try); err != nil {
				return err
			}
		}
		if err = c.start(ctx); err == nil {
			err = c.load(ctx)
		}
		if err == nil || ctx.Err() != nil || !passing(err) {
			return err
		}
		c.discard()
	}
	return fmt.Errorf("load the conversation, %d times: %w", loadTries, err)
}

// finalError is a decision, not a failure that may pass.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

func passing(err error) bool {
	return !errors.As(err, new(refusal)) && !errors.As(err, new(finalError))
}

// discard kills a process whose state is not known.
func (c *conversation) discard() {
	if c.agent == nil {
		return
	}
	_ = c.agent.proc.Kill() // it is replaced; its tree is ended in any case
	<-c.agent.gone
}

// load takes the conversation up in the process there is: by session/load
// wherever it is advertised and not known bad, else by session/resume, else by
// a new conversation that says so (A13, A14).
func (c *conversation) load(ctx context.Context) error {
	if why := c.mismatch(); why != "" {
		return final(c.anew(ctx, why))
	}
	info, bad := c.agent.info, c.badLoad()
	switch {
	case info.LoadSession && bad == "":
		return c.play(ctx)
	case c.canResume():
		return c.resume(ctx)
	case info.LoadSession:
		return final(c.anew(ctx, fmt.Sprintf("agent %s cannot load it: %s", c.command.name, bad)))
	}
	return final(c.anew(ctx, fmt.Sprintf("agent %s cannot load conversations", c.command.name)))
}

// badLoad says why session/load is known not to work here.
func (c *conversation) badLoad() string {
	faults := c.agent.faults
	if faults.Has(acp.LoadBroken) {
		return faults[acp.LoadBroken]
	}
	if faults.Has(acp.BrokenAfterCrash) && c.crashed {
		return faults[acp.BrokenAfterCrash]
	}
	return ""
}

func (c *conversation) canResume() bool {
	return c.agent.info.Resume && !c.agent.faults.Has(acp.ResumeBroken)
}

func final(err error) error {
	if err == nil || died(err) {
		return err
	}
	return finalError{err}
}

// mismatch says why the conversation cannot be this agent's, here.
func (c *conversation) mismatch() string {
	place, info := c.r.stack.Env().Place(), c.agent.info
	switch {
	case c.known.CWD != "" && c.known.CWD != place.Dir:
		return fmt.Sprintf("it was held in %s, and the agent works in %s now", c.known.CWD, place.Dir)
	case c.known.Agent != "" && info.Name != "" && c.known.Agent != info.Name:
		return fmt.Sprintf("it was held with %s, and the agent is %s now", c.known.Agent, info.Name)
	}
	return ""
}

// play loads with a replay, and compares that with the record.
func (c *conversation) play(ctx context.Context) error {
	if err := c.waitAge(ctx); err != nil {
		return err
	}
	c.known.OpenedAt = time.Now().UTC()
	c.settings.open()
	c.replay.begin(c.agent.faults.Has(acp.LoadAfterResponse))
	defer c.replay.close()
	s, err := c.reopen(ctx, c.agent.client.LoadSession)
	if err != nil {
		return c.notLoaded(ctx, err)
	}
	c.replay.answered()
	c.replay.finish(ctx, c.known.Turns)
	state, err := c.judge(ctx)
	if err != nil {
		return final(err)
	}
	c.settings.opened(s.Settings())
	c.reapply(ctx)
	c.adopt(state)
	return nil
}

// reopen is a load or a resume, once more after a login if there is a way.
func (c *conversation) reopen(
	ctx context.Context,
	open func(context.Context, string, acp.SessionParams) (acp.Session, error),
) (s acp.Session, err error) {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	err = c.authorised(ctx, func() error {
		s, err = open(ctx, c.known.ACP, c.params())
		return err
	})
	return s, err
}

// waitAge lets the minute pass in which a load would destroy the conversation.
func (c *conversation) waitAge(ctx context.Context) error {
	until := acp.NextMinute(c.known.OpenedAt)
	if !c.agent.faults.Has(acp.LoadMinAge) || c.known.OpenedAt.IsZero() || time.Now().After(until) {
		return nil
	}
	c.r.notice(fmt.Sprintf("Agent %s loses a conversation that is loaded in the minute it was opened in: "+
		"it is loaded at %s.", c.command.name, until.Format(time.TimeOnly)), nil)
	return sleep(ctx, time.Until(until))
}

// judge says how much of the conversation the agent has, by what it played
// back. An agent that has nothing of it goes on only as the policy says.
func (c *conversation) judge(ctx context.Context) (blaise.ContextState, error) {
	state, turns := c.replay.compare(c.known.Turns), c.known.Turns
	c.verified = true
	c.r.log.Info("conversation loaded", "context", state, "turns", turns,
		"replayed", c.replay.turns(), "updates", c.replay.updates())
	switch {
	case state == blaise.ContextNone && c.agent.faults.Has(acp.NoReplay):
		c.verified, state = false, blaise.ContextUnverified
		c.r.notice("The agent loads without playing back: what it remembers is not verified.",
			map[string]any{"context": state})
	case state == blaise.ContextNone && c.r.lease.OnContextLoss != blaise.ReactContinue:
		return state, c.mayLose(ctx, fmt.Sprintf("it played back none of %d turns", turns))
	case state != blaise.ContextFull:
		c.r.notice(fmt.Sprintf("The agent played back %d of %d turns: it may not remember the rest.",
			c.replay.turns(), turns), map[string]any{"context": state})
	}
	return state, nil
}

// notLoaded decides what an error of session/load means. Only an agent that
// says it does not have the conversation leads to a new one; where nothing was
// ever answered in it nothing is lost, and the message is sent there.
func (c *conversation) notLoaded(ctx context.Context, err error) error {
	switch {
	case acp.IsSessionNotFound(err) && c.known.Turns > 0 && c.canResume():
		return c.resume(ctx)
	case acp.IsSessionNotFound(err):
		return final(c.anew(ctx, err.Error()))
	case acp.IsAuthMissing(err):
		return c.unusable(err)
	case c.tries == loadTries && c.canResume() && errors.As(err, new(*acp.Error)):
		return c.resume(ctx) // whatever ails the load, it may not ail this
	case acp.IsBusy(err):
		return fmt.Errorf("load the conversation: another process holds it: %w", err)
	}
	return c.agent.explain(fmt.Errorf("load the conversation: %w", err))
}

// resume takes up without a replay: nothing proves what the agent remembers.
// Some play back all the same, so there is a window here too.
func (c *conversation) resume(ctx context.Context) error {
	c.settings.open()
	c.replay.begin(false)
	defer c.replay.close()
	s, err := c.reopen(ctx, c.agent.client.ResumeSession)
	switch {
	case acp.IsSessionNotFound(err):
		return final(c.anew(ctx, err.Error()))
	case acp.IsAuthMissing(err):
		return c.unusable(err)
	case err != nil:
		return c.agent.explain(fmt.Errorf("resume the conversation: %w", err))
	}
	if c.replay.updates() > 0 {
		c.replay.answered()
		c.replay.finish(ctx, c.known.Turns)
	}
	c.verified = false
	c.r.notice("The agent took the conversation up without playing it back: "+
		"what it remembers is not verified.", map[string]any{"context": blaise.ContextUnverified})
	c.settings.opened(s.Settings())
	c.reapply(ctx)
	c.adopt(blaise.ContextUnverified)
	return nil
}

// adopt brings what is known of the conversation up to date.
func (c *conversation) adopt(state blaise.ContextState) {
	place, info := c.r.stack.Env().Place(), c.agent.info
	if c.known.AgentVersion != "" && c.known.AgentVersion != info.Version {
		c.r.notice(fmt.Sprintf("The agent is version %s now; it was %s.",
			info.Version, c.known.AgentVersion), nil)
	}
	c.known.CWD, c.known.Home = place.Dir, place.Home
	c.known.Agent, c.known.AgentVersion = info.Name, info.Version
	c.known.OpenedAt, c.fresh = time.Now().UTC(), true
	c.tell(state)
}
