package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/transcript"
)

// maxDeaths is how often the agent may die, with no turn answered between,
// before the run fails (A23).
const maxDeaths = 3

// A conversation is the session as its agent knows it. It outlives processes of
// the agent: one that dies is started again and loads it.
type conversation struct {
	r       *run
	command command
	err     error // why there is no command
	servers []json.RawMessage
	offers  config.Agent // what the agent may ask for
	starts  int          // how often a process of it was started

	agent  *agent
	known  blaise.Conversation // what must be loaded; ACP "" before there is one
	turns  int                 // answered over the session: what a new conversation would lack
	deaths int
	replay replay
	// verified: the replay was compared, so it can tell whether it holds a prompt.
	verified bool
	settings *settings
	choices  *choices
	status   *status
	meter    *meter
	verdicts *verdicts
	wire     *wire
	crashed  bool // the last process did not end as it should
	fresh    bool // nothing was answered since it was taken up
	tries    int  // of the load
	tools    *openTools
	loggedIn bool // authenticate was called in the process there is
}

func newConversation(r *run, c config.Agent) *conversation {
	t := &conversation{
		r: r, known: r.lease.Conversation, turns: r.lease.Turns, servers: c.MCPServers, offers: c,
	}
	t.settings, t.tools = newSettings(t.known.Settings), &openTools{}
	t.choices, t.status, t.meter = newChoices(r.lease.Wanted), newStatus(), newMeter(t.known.Cost)
	t.verdicts = &verdicts{}
	t.wire = newWire(r)
	t.crashed = !r.lease.Clean
	t.command, t.err = newCommand(c, r.deps.Demo)
	return t
}

// open starts the agent and takes the conversation up, or begins it.
func (c *conversation) open(ctx context.Context) error {
	if c.err != nil {
		return refusal{c.err}
	}
	if c.known.ACP == "" {
		if err := c.start(ctx); err != nil {
			return err
		}
		return c.anew(ctx, "")
	}
	return c.takeUp(ctx)
}

// start has a fresh process of the agent.
func (c *conversation) start(ctx context.Context) error {
	ended := c.r.part("start agent", "", "", map[string]string{"agent": c.command.name})
	a, err := c.startAgent(ctx)
	ended(err)
	if err != nil {
		return err
	}
	c.agent, c.loggedIn = a, false
	c.r.note(transcript.KindAgent, map[string]any{
		"name": a.info.Name, "version": a.info.Version, "says": a.info.Raw, "faults": a.faults,
	})
	return c.fits()
}

// anew begins a new conversation. lost says why the old one is gone, "" if
// there was none.
func (c *conversation) anew(ctx context.Context, lost string) error {
	state := blaise.ContextState("")
	if lost != "" && c.turns > 0 {
		state = blaise.ContextNone
	}
	if lost != "" && c.known.Turns > 0 {
		if err := c.mayLose(ctx, lost); err != nil {
			return err
		}
		c.r.notice("A new conversation begins in the same environment.", nil)
	}
	c.settings.open()
	c.meter.begin()
	s, err := c.newSession(ctx)
	if err != nil {
		return c.unusable(err)
	}
	c.settings.opened(s.Settings())
	place := c.r.stack.Env().Place()
	c.replay, c.verified = replay{}, true
	c.known = blaise.Conversation{
		ACP: s.ID, CWD: place.Dir, Home: place.Home,
		Agent: c.agent.info.Name, AgentVersion: c.agent.info.Version,
		OpenedAt: time.Now().UTC(),
	}
	c.reapply(ctx)
	c.tell(state)
	return nil
}

func (c *conversation) newSession(ctx context.Context) (s acp.Session, err error) {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	err = c.authorised(ctx, func() error {
		s, err = c.agent.client.NewSession(ctx, c.params())
		return err
	})
	return s, err
}

// mayLose asks the agent's policy whether to go on without the conversation
// (A14). There is a notice either way: it is never silent (X6).
func (c *conversation) mayLose(ctx context.Context, lost string) error {
	c.r.notice("The agent no longer has this conversation: "+lost, map[string]any{"context": "none"})
	switch c.r.lease.OnContextLoss {
	case blaise.ReactFail:
		return fmt.Errorf("the conversation is lost: %s (policy.onContextLoss = fail)", lost)
	case blaise.ReactAsk:
		choice, ok := c.r.askPerson(ctx, blaise.Question{
			Kind: "context_loss", Title: "Go on without the conversation? " + lost,
			Options: []blaise.Option{
				{ID: "continue", Name: "Go on in a new conversation", Kind: acp.AllowOnce},
				{ID: "stop", Name: "End the session", Kind: acp.RejectOnce},
			},
		})
		if !ok || choice != "continue" {
			return fmt.Errorf("the conversation is lost: %s (nobody allowed to go on without it)", lost)
		}
	}
	return nil
}

func (c *conversation) params() acp.SessionParams {
	return acp.SessionParams{CWD: c.r.stack.Env().Place().Dir, MCPServers: c.servers}
}

// tell reports what the conversation is now.
func (c *conversation) tell(state blaise.ContextState) {
	c.known.Settings, c.known.Cost = c.settings.kept(), c.meter.kept()
	known := c.known
	c.r.say(api.Report{
		Event: blaise.EventConversation, Conversation: &known, Context: state, Set: c.choices.report(),
	})
	c.status.poke()
}

// revive starts the agent again after a death and takes the conversation up.
func (c *conversation) revive(ctx context.Context) error {
	<-c.agent.gone
	return c.again(ctx, "died", c.agent.death())
}

// restart ends an agent that is of no use and starts it again (A23).
func (c *conversation) restart(ctx context.Context, how string) error {
	c.discard()
	return c.again(ctx, how, fmt.Errorf("agent %s %s", c.command.name, how))
}

func (c *conversation) again(ctx context.Context, how string, why error) error {
	if c.deaths++; c.deaths >= maxDeaths {
		return fmt.Errorf("the agent %s %d times with no answered turn between: %w", how, c.deaths, why)
	}
	c.r.notice(fmt.Sprintf("The agent %s (%d of %d) and is started again.", how, c.deaths, maxDeaths),
		map[string]any{"reason": why.Error()})
	c.crashed = true
	return c.takeUp(ctx)
}

// renew has another process go on, where this one cannot be trusted any more.
// It is ended with care: what it has not yet written down would be lost.
func (c *conversation) renew(ctx context.Context) error {
	c.r.notice("The agent is started again: "+c.agent.faults[acp.ShiftedByCancel]+".", nil)
	if err := c.agent.stop(ctx, c.known.ACP, c.r.lease.Limits.StopGrace); err != nil {
		return err
	}
	return c.takeUp(ctx)
}

// stop ends the agent; the turn is over by then.
func (c *conversation) stop(ctx context.Context) error {
	if c == nil || c.agent == nil {
		return nil
	}
	defer c.wire.close()
	return c.agent.stop(ctx, c.known.ACP, c.r.lease.Limits.StopGrace)
}

// Update records what the agent says, in the order of the wire.
func (c *conversation) Update(u acp.Update) {
	replayed := c.replay.take(u)
	c.settings.take(u)
	c.meter.take(u, c.settings.standing())
	if !replayed {
		c.status.take(u)
		c.tools.take(u)
	}
	c.r.record.update(u.Raw, replayed, u.Late)
}

// Noise is what a wrapper prints before the agent speaks, often the reason why
// it does not.
func (c *conversation) Noise(line []byte) {
	c.r.record.tell(transcript.New(transcript.KindOutput, map[string]string{
		"source": "agent", "text": string(line),
	}))
}

// died says that err is the end of the agent and not an answer of it.
func died(err error) bool {
	return errors.Is(err, acp.ErrClosed) || errors.As(err, new(diedError))
}
