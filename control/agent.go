package control

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// The states of an agent (A27).
const (
	AgentEnabled  = "enabled"
	AgentDisabled = "disabled"
	AgentArchived = "archived"
)

// An Applied says what applying a manifest did, or would do.
type Applied struct {
	Name     blaise.AgentName
	Revision int
	Result   string // created, changed, unchanged
	Effects  []string
}

// ApplyAgent makes or changes an agent. A changed policy holds at once for
// every session of the agent (A9): their clocks are moved in the same
// transaction as the agent, one session at a time.
func (c *Control) ApplyAgent(ctx context.Context, by string, m Manifest, dry bool) (Applied, error) {
	res := Applied{Name: m.Name}
	line := blaise.Audit{By: by, Thing: string(m.Name)}
	limit := 0
	err := c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		old, err := tx.Agent(m.Name)
		switch {
		case blaise.CodeOf(err) == blaise.CodeNotFound && err != nil:
			old = store.Agent{Name: m.Name, State: AgentEnabled}
			res.Result = "created"
		case err != nil:
			return err
		case string(old.Spec) == string(m.Spec):
			res.Result, res.Revision = "unchanged", old.Revision
			return nil
		default:
			res.Result = "changed"
		}
		res.Revision, limit = old.Revision+1, old.Policy.Concurrency
		res.Effects = gateEffects(old.Policy.Gate, m.Policy.Gate)
		if dry {
			return nil
		}
		before := old.Policy
		if res.Result == "created" {
			before = blaise.DefaultPolicy()
		}
		line.Kind, line.Detail = blaise.AuditAgentApplied, fmt.Sprintf("revision %d, %s", res.Revision, res.Result)
		return tx.PutAgent(store.Agent{
			Name: m.Name, Spec: m.Spec, Policy: m.Policy.ChangedFrom(before, by, res.Revision),
			Requirements: m.Requirements,
			State:        old.State, Revision: res.Revision, By: by, At: c.now(),
		})
	})
	if err != nil || res.Result != "changed" {
		return res, err
	}
	effects, err := c.limitEffects(ctx, m.Name, limit, m.Policy.Concurrency)
	if err != nil {
		return res, err
	}
	res.Effects = append(res.Effects, effects...)
	n, err := c.spread(ctx, by, m.Name, dry)
	if n > 0 {
		res.Effects = append(res.Effects, follow(n))
	}
	if err != nil || !dry {
		return res, err
	}
	p := m.Policy
	p.Revision = res.Revision
	effects, err = c.foresee(ctx, by, m.Name, p)
	res.Effects = append(res.Effects, effects...)
	if err == nil {
		effects, err = c.old.foresee(ctx, m.Name, p)
		res.Effects = append(res.Effects, effects...)
	}
	return res, err
}

// SetAgentState enables, disables or archives an agent (A27).
func (c *Control) SetAgentState(ctx context.Context, by string, name blaise.AgentName, state string) error {
	switch state {
	case AgentEnabled, AgentDisabled, AgentArchived:
	default:
		return blaise.Errorf(blaise.CodeInvalid, "agent %s: no state %q", name, state).
			WithHint("one of enabled, disabled, archived")
	}
	line := blaise.Audit{By: by, Kind: blaise.AuditAgentState, Thing: string(name), Detail: state}
	err := c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error {
		a, err := tx.Agent(name)
		if err != nil {
			return err
		}
		a.State, a.By, a.At = state, by, c.now()
		a.Revision++
		a.Policy.SetBy = maps.Clone(a.Policy.SetBy)
		if a.Policy.SetBy == nil {
			a.Policy.SetBy = map[string]string{}
		}
		a.Policy.SetBy[blaise.SettingState] = fmt.Sprintf("%s by %s in revision %d", state, by, a.Revision)
		return tx.PutAgent(a)
	})
	if err != nil {
		return err
	}
	_, err = c.spread(ctx, by, name, false)
	return err
}

// spread tells every session of the agent of its policy.
func (c *Control) spread(ctx context.Context, by string, name blaise.AgentName, dry bool) (int, error) {
	ids, err := c.db.SessionsOf(ctx, name, true)
	if err != nil || dry {
		return len(ids), err
	}
	for _, id := range ids {
		var plan blaise.Plan
		err := c.db.Tx(ctx, func(tx *store.Tx) error {
			a, err := tx.Agent(name)
			if err != nil {
				return err
			}
			p := policyOf(a)
			plan, err = c.decide(tx, id, blaise.Event{Kind: blaise.EventPolicyChanged, By: by, Policy: &p})
			return err
		})
		if err != nil {
			return len(ids), fmt.Errorf("apply policy to session %s: %w", id, err)
		}
		c.wake(plan)
	}
	return len(ids), nil
}

// Agents lists the agents.
func (c *Control) Agents(ctx context.Context) ([]store.Agent, error) { return c.db.Agents(ctx) }

// Agent answers one agent.
func (c *Control) Agent(ctx context.Context, name blaise.AgentName) (store.Agent, error) {
	return c.db.Agent(ctx, name)
}

// A Manifest is an agent as `blaise apply` reads it. Spec is the whole
// document as JSON, kept and shown.
type Manifest struct {
	Name         blaise.AgentName
	Spec         json.RawMessage
	Policy       blaise.Policy
	Requirements map[string]string
}
