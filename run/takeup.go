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

// load takes the conversation up in the process there is.
func (c *conversation) load(ctx context.Context) error {
	if why := c.mismatch(); why != "" {
		return final(c.anew(ctx, why))
	}
	switch info := c.agent.info; {
	case info.LoadSession:
		return c.play(ctx)
	case info.Resume:
		return c.resume(ctx)
	}
	return final(c.anew(ctx, fmt.Sprintf("agent %s cannot load conversations", c.command.name)))
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
	limited, cancel := c.limited(ctx)
	defer cancel()
	c.replay.begin()
	_, err := c.agent.client.LoadSession(limited, c.known.ACP, c.params())
	if err != nil {
		c.replay.finish(ctx, 0)
		return c.notLoaded(ctx, err)
	}
	c.replay.finish(ctx, c.known.Turns)
	c.verified = true
	state := c.replay.compare(c.known.Turns)
	if state != blaise.ContextFull {
		c.r.notice(fmt.Sprintf("The agent played back %d of %d turns: it may not remember the rest.",
			c.replay.turns(), c.known.Turns), map[string]any{"context": state})
	}
	c.adopt(state)
	return nil
}

// notLoaded decides what an error of session/load means.
func (c *conversation) notLoaded(ctx context.Context, err error) error {
	switch {
	case acp.IsSessionNotFound(err) && c.known.Turns > 0 && c.agent.info.Resume:
		return c.resume(ctx)
	case acp.IsSessionNotFound(err):
		return final(c.anew(ctx, err.Error()))
	case acp.IsAuthRequired(err):
		return c.unusable(err)
	}
	return c.agent.explain(fmt.Errorf("load the conversation: %w", err))
}

// resume takes up without a replay: nothing proves what the agent remembers.
func (c *conversation) resume(ctx context.Context) error {
	limited, cancel := c.limited(ctx)
	defer cancel()
	_, err := c.agent.client.ResumeSession(limited, c.known.ACP, c.params())
	switch {
	case acp.IsSessionNotFound(err):
		return final(c.anew(ctx, err.Error()))
	case acp.IsAuthRequired(err):
		return c.unusable(err)
	case err != nil:
		return c.agent.explain(fmt.Errorf("resume the conversation: %w", err))
	}
	c.verified = false
	c.r.notice("The agent took the conversation up without playing it back: "+
		"what it remembers is not verified.", map[string]any{"context": blaise.ContextUnverified})
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
	c.tell(state)
}
