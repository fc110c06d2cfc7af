package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
)

// loginLimit is how long authenticate may take.
const loginLimit = time.Minute

// authorised calls do; if the agent wants a login it calls authenticate, with a
// method that is known to need no person, and do once more. There is no other
// way in: Blaise opens no browser (R15). The error is then an
// *acp.AuthRequired, which says what the user must do.
func (c *conversation) authorised(ctx context.Context, do func() error) error {
	err := do()
	if !acp.IsAuthRequired(err) {
		return err
	}
	if missing := c.login(ctx, err); missing != nil {
		return missing
	}
	if err = do(); acp.IsAuthRequired(err) {
		return c.missingLogin(err)
	}
	return err
}

// login logs in, once in each process of the agent.
func (c *conversation) login(ctx context.Context, asked error) error {
	missing := c.missingLogin(asked)
	id := c.command.preset.AuthMethod(missing.Methods, c.agent.info.DefaultAuthMethod())
	if id == "" || c.loggedIn {
		return missing
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginLimit,
		fmt.Errorf("no answer to authenticate in %v", loginLimit))
	defer cancel()
	if err := c.agent.client.Authenticate(ctx, id); err != nil {
		missing.Err = fmt.Errorf("%w; authenticate %s: %w", asked, id, err)
		return missing
	}
	c.loggedIn = true
	return nil
}

func (c *conversation) missingLogin(err error) *acp.AuthRequired {
	return acp.NewAuthRequired(c.command.name, c.command.preset, c.agent.info.AuthMethods, err)
}

// unusable explains why the agent gives no conversation.
func (c *conversation) unusable(err error) error {
	var missing *acp.AuthRequired
	if errors.As(err, &missing) {
		e := blaise.Errorf(blaise.CodeRefused, "%v. To do: %s", missing, missing.Hint())
		return refusal{loggedOut{e.WithHint("%s", missing.Hint())}}
	}
	return c.agent.explain(fmt.Errorf("agent %s: %w", c.command.name, err))
}

// fits looks whether the agent can have the MCP servers of blaise.yml, before
// it is given them (R14).
func (c *conversation) fits() error {
	info, stdio := c.agent.info, false
	for _, raw := range c.servers {
		var s struct{ Type, Name string }
		if json.Unmarshal(raw, &s) != nil {
			continue // the agent says what is wrong with it
		}
		ok := true
		switch s.Type {
		case "http":
			ok = info.MCPHTTP
		case "sse":
			ok = info.MCPSSE
		default:
			stdio = true
		}
		if !ok {
			return refusal{blaise.Errorf(blaise.CodeRefused,
				"agent %s takes no MCP server of type %s, as %q is", c.command.name, s.Type, s.Name).
				WithHint("leave it out of agent.mcpServers, or give it as a stdio server")}
		}
	}
	if why := c.agent.faults[acp.MCPStdioIgnored]; stdio && why != "" {
		c.r.notice(fmt.Sprintf("Agent %s does not use the MCP servers of agent.mcpServers: %s.",
			c.command.name, why), nil)
	}
	return nil
}

// loadSilence is how long an agent may say nothing while it begins or loads a
// conversation; MCP servers that start take a minute.
const loadSilence = 2 * time.Minute

// limited ends with limits.load, or before that if the agent says nothing.
func (c *conversation) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := c.r.lease.Limits.Load
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("no answer within limits.load = %v", limit))
	if limit <= loadSilence {
		return ctx, cancel
	}
	ctx, stop := context.WithCancelCause(ctx)
	go c.agent.listen(ctx, stop)
	return ctx, func() { stop(nil); cancel() }
}

// listen calls silent when the agent has sent no frame for loadSilence. Noise
// is no sign of life.
func (a *agent) listen(ctx context.Context, silent context.CancelCauseFunc) {
	frames := func() int64 { s := a.client.Stats(); return s.Lines - s.Noise }
	for last := frames(); sleep(ctx, loadSilence) == nil; {
		now := frames()
		if now == last {
			silent(fmt.Errorf("the agent said nothing for %v", loadSilence))
			return
		}
		last = now
	}
}
