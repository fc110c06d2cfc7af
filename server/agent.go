package server

import (
	"context"
	"net/http"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

func (s *Server) agentRoutes() {
	handle(s, route{
		id: "list-agents", method: http.MethodGet, path: "/api/agents", user: control.RoleViewer, says: "The agents",
	}, s.listAgents)
	handle(s, route{
		id: "get-agent", method: http.MethodGet, path: "/api/agents/{name}", user: control.RoleViewer, says: "One agent",
	}, s.getAgent)
	handle(s, route{
		id: "apply-agent", method: http.MethodPost, path: "/api/agents", user: control.RoleAdmin,
		says: "Make or change the agent that a manifest, YAML or JSON, describes",
	}, s.applyAgent)
	handle(s, route{
		id: "explain-gate", method: http.MethodPost, path: "/api/agents/{name}/gate", user: control.RoleViewer,
		says: "What the gate of an agent does with an action, and by which rule; nothing is done",
	}, s.explainGate)
	act(s, route{
		id: "set-agent-state", method: http.MethodPost, path: "/api/agents/{name}/state", user: control.RoleAdmin,
		says: "Enable, disable or archive an agent",
	}, s.setAgentState)
	handle(s, route{
		id: "list-runners", method: http.MethodGet, path: "/api/runners", user: control.RoleViewer,
		says: "The runners with their instances",
	}, s.listRunners)
	handle(s, route{
		id: "create-token", method: http.MethodPost, path: "/api/tokens", user: control.RoleAdmin,
		says: "Make a runner and its token, shown this once", status: http.StatusCreated,
	}, s.createToken)
	handle(s, route{
		id: "rotate-token", method: http.MethodPost, path: "/api/tokens/{id}/rotate", user: control.RoleAdmin,
		says: "Give a runner a new token, shown this once; the old one is good for a while beside it",
	}, s.rotateToken)
	act(s, route{
		id: "revoke-token", method: http.MethodDelete, path: "/api/tokens/{id}", user: control.RoleAdmin,
		says: "Make a runner's token and all its leases worthless",
	}, s.revokeToken)
}

func (s *Server) listAgents(ctx context.Context, _ *struct{}) ([]api.Agent, error) {
	return s.views.Agents(ctx)
}

// Agents lists the agents.
func (v *Views) Agents(ctx context.Context) ([]api.Agent, error) {
	list, err := v.control.Agents(ctx)
	if err != nil {
		return nil, err
	}
	crowds, err := v.control.Crowds(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]api.Agent, len(list))
	for i, a := range list {
		if out[i], err = v.agentOf(ctx, a, crowds[a.Name]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (v *Views) agentOf(ctx context.Context, a store.Agent, c store.Crowd) (api.Agent, error) {
	lacking, err := v.control.Lacking(ctx, a.Name, c)
	return api.Agent{
		Name: a.Name, State: a.State, Revision: a.Revision, Spec: a.Spec, By: a.By, At: a.At,
		AtWork: c.AtWork, Waiting: c.Waiting, Lacking: lacking, Limit: a.Policy.Concurrency,
	}, err
}

// An AgentPath is the part of a route that names an agent.
type AgentPath struct {
	Name string `path:"name"`
}

func (s *Server) getAgent(ctx context.Context, in *AgentPath) (api.Agent, error) {
	a, err := s.control.Agent(ctx, blaise.AgentName(in.Name))
	if err != nil {
		return api.Agent{}, err
	}
	crowds, err := s.control.Crowds(ctx)
	if err != nil {
		return api.Agent{}, err
	}
	return s.views.agentOf(ctx, a, crowds[a.Name])
}

func (s *Server) explainGate(ctx context.Context, in *struct {
	AgentPath
	Body blaise.Action
}) (blaise.Decided, error) {
	a, err := s.control.Agent(ctx, blaise.AgentName(in.Name))
	if err != nil {
		return blaise.Decided{}, err
	}
	return a.Policy.Gate.Decide(in.Body), nil
}

type applyIn struct {
	DryRun  bool   `query:"dryRun" doc:"only say what would happen"`
	RawBody []byte `contentType:"application/yaml"`
}

func (s *Server) applyAgent(ctx context.Context, in *applyIn) (api.Applied, error) {
	m, err := control.ParseManifest(in.RawBody)
	if err != nil {
		return api.Applied{}, err
	}
	a, err := s.control.ApplyAgent(ctx, callerOf(ctx).user.Name, m, in.DryRun)
	return api.Applied{
		Name: a.Name, Revision: a.Revision, Result: a.Result, DryRun: in.DryRun, Effects: a.Effects,
	}, err
}

func (s *Server) setAgentState(ctx context.Context, in *struct {
	AgentPath
	Body api.AgentState
}) error {
	return s.control.SetAgentState(ctx, callerOf(ctx).user.Name, blaise.AgentName(in.Name), in.Body.State)
}

func (s *Server) listRunners(ctx context.Context, _ *struct{}) ([]api.Runner, error) {
	return s.views.Runners(ctx)
}

// Runners lists the runners with their instances.
func (v *Views) Runners(ctx context.Context) ([]api.Runner, error) {
	list, err := v.control.Runners(ctx)
	out := []api.Runner{}
	for _, r := range list {
		out = append(out, runnerOf(r))
	}
	return out, err
}

func runnerOf(r control.RunnerView) api.Runner {
	out := api.Runner{
		ID: r.ID, Name: r.Name, Labels: r.Labels, SingleUse: r.SingleUse, Revoked: r.Revoked,
		RevokedBy: r.RevokedBy, RevokedAt: r.RevokedAt,
		CreatedAt: r.CreatedAt, Instances: []api.Instance{},
	}
	if out.Labels == nil {
		out.Labels = map[string]string{}
	}
	if r.Old != nil {
		out.OldUntil = r.Old.Until
	}
	if l := r.Leaving; l != nil {
		out.Leaving = &api.Leaving{By: l.By, At: l.At, Until: l.Until}
	}
	for _, i := range r.Instances {
		in := api.Instance{
			ID: i.ID, Host: i.Host, Machine: i.Machine, Version: i.Version, Slots: i.Slots, Runs: i.Runs,
			LastSeen: i.LastSeen, StoppedAt: i.StoppedAt, Online: i.Online, Draining: i.Draining,
			Once: i.Once || r.SingleUse, Paused: i.PausedWhy, Probed: i.Probed,
			OS: i.OS, Arch: i.Arch, Labels: i.Labels, Agents: i.Agents, Ahead: i.Ahead.Seconds(),
		}
		if in.Runs == nil {
			in.Runs = []blaise.RunID{}
		}
		out.Instances = append(out.Instances, in)
	}
	return out
}

func (s *Server) createToken(ctx context.Context, in *struct{ Body api.NewToken }) (api.Token, error) {
	b := in.Body
	if b.Session != "" {
		return s.createTokenFor(ctx, b)
	}
	r, secret, err := s.control.NewRunner(ctx, callerOf(ctx).user.Name, b.Name, b.Labels, b.SingleUse)
	return api.Token{ID: r.ID, Name: r.Name, Secret: secret}, err
}

// createTokenFor makes a token for one session.
func (s *Server) createTokenFor(ctx context.Context, b api.NewToken) (api.Token, error) {
	if !b.SingleUse {
		return api.Token{}, blaise.Errorf(blaise.CodeInvalid, "a token for one session is a single-use one").
			WithHint("blaise token create %s --single-use --session %s", b.Name, b.Session)
	}
	id, err := s.views.Find(ctx, string(b.Session))
	if err != nil {
		return api.Token{}, err
	}
	r, secret, err := s.control.NewRunnerFor(ctx, callerOf(ctx).user.Name, b.Name, b.Labels, id)
	return api.Token{ID: r.ID, Name: r.Name, Secret: secret}, err
}

func (s *Server) rotateToken(ctx context.Context, in *struct {
	ID   string `path:"id"`
	Body api.RotateToken
}) (api.Token, error) {
	overlap, err := time.ParseDuration(in.Body.Overlap)
	if err != nil {
		return api.Token{}, blaise.Errorf(blaise.CodeInvalid, "rotate token: the overlap %q is no duration", in.Body.Overlap).
			WithHint("write 24h, or 0s for none")
	}
	r, secret, err := s.control.RotateToken(ctx, callerOf(ctx).user.Name, blaise.RunnerID(in.ID), overlap)
	return api.Token{ID: r.ID, Name: r.Name, Secret: secret}, err
}

func (s *Server) revokeToken(ctx context.Context, in *struct {
	ID         string `path:"id"`
	AfterDrain bool   `query:"afterDrain" doc:"when nothing is left there: its runs are stopped, and what its sessions have there is taken down with the work sent to Blaise"`
	Timeout    string `query:"timeout" doc:"with afterDrain: turns that are open then are cancelled; 30m by default"`
}) error {
	by, id := callerOf(ctx).user.Name, blaise.RunnerID(in.ID)
	if !in.AfterDrain {
		return s.control.RevokeRunner(ctx, by, id)
	}
	timeout := control.DrainTimeout
	if in.Timeout != "" {
		var err error
		if timeout, err = time.ParseDuration(in.Timeout); err != nil || timeout < 0 || timeout > maxDrain {
			return blaise.Errorf(blaise.CodeInvalid, "revoke: the timeout %q is none of 0 to %s", in.Timeout, maxDrain)
		}
	}
	return s.control.RevokeAfterDrain(ctx, by, id, timeout)
}
