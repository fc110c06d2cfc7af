package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"blaise.dev/blaise"
)

// The calls of this file carry a user's token; Login needs none.

// Agents lists the agents.
func (c *Client) Agents(ctx context.Context) ([]Agent, error) {
	var out []Agent
	return out, c.get(ctx, "/api/agents", nil, &out)
}

// Agent answers one agent.
func (c *Client) Agent(ctx context.Context, name blaise.AgentName) (Agent, error) {
	var out Agent
	return out, c.get(ctx, "/api/agents/"+esc(name), nil, &out)
}

// ApplyAgent makes or changes the agent that a manifest, YAML or JSON,
// describes; dryRun only says what would happen.
func (c *Client) ApplyAgent(ctx context.Context, manifest []byte, dryRun bool) (Applied, error) {
	q := url.Values{}
	if dryRun {
		q.Set("dryRun", "true")
	}
	var out Applied
	return out, c.do(ctx, call{
		method: http.MethodPost, path: "/api/agents", query: q, in: manifest, out: &out,
	})
}

// ExplainGate says what the gate of an agent does with an action (B4).
func (c *Client) ExplainGate(ctx context.Context, name blaise.AgentName, a blaise.Action) (blaise.Decided, error) {
	var out blaise.Decided
	return out, c.post(ctx, "/api/agents/"+esc(name)+"/gate", a, &out)
}

// SetAgentState enables, disables or archives an agent (A27).
func (c *Client) SetAgentState(ctx context.Context, name blaise.AgentName, state string) error {
	return c.post(ctx, "/api/agents/"+esc(name)+"/state", AgentState{State: state}, nil)
}

// Runners lists the runners with their instances.
func (c *Client) Runners(ctx context.Context) ([]Runner, error) {
	var out []Runner
	return out, c.get(ctx, "/api/runners", nil, &out)
}

// NewToken makes a runner and its token, which is shown this once.
func (c *Client) NewToken(ctx context.Context, t NewToken) (Token, error) {
	var out Token
	return out, c.post(ctx, "/api/tokens", t, &out)
}

// RotateToken gives a runner a new token, shown this once; the old one is good
// for overlap beside it. CodeRefused: it was revoked, or has a single-use token.
func (c *Client) RotateToken(ctx context.Context, id blaise.RunnerID, overlap time.Duration) (Token, error) {
	var out Token
	return out, c.post(ctx, "/api/tokens/"+esc(id)+"/rotate", RotateToken{Overlap: overlap.String()}, &out)
}

// RevokeToken makes a runner's token and all its leases worthless (A31).
func (c *Client) RevokeToken(ctx context.Context, id blaise.RunnerID) error {
	return c.do(ctx, call{method: http.MethodDelete, path: "/api/tokens/" + esc(id)})
}

// RevokeTokenAfterDrain revokes a runner's token when nothing is left there
// (A31): they are stopped so that they can be resumed.
func (c *Client) RevokeTokenAfterDrain(ctx context.Context, id blaise.RunnerID, timeout time.Duration) error {
	query := url.Values{"afterDrain": {"true"}, "timeout": {timeout.String()}}
	return c.do(ctx, call{method: http.MethodDelete, path: "/api/tokens/" + esc(id), query: query})
}

// Login exchanges the code of a sign-in link for a user's token.
func (c *Client) Login(ctx context.Context, code string) (LoggedIn, error) {
	var out LoggedIn
	return out, c.post(ctx, "/api/login", Login{Code: code}, &out)
}

// LoginLink makes a link that signs one browser in, once.
func (c *Client) LoginLink(ctx context.Context) (Link, error) {
	var out Link
	return out, c.post(ctx, "/api/login/link", struct{}{}, &out)
}

// Me says who the token belongs to.
func (c *Client) Me(ctx context.Context) (Me, error) {
	var out Me
	return out, c.get(ctx, "/api/me", nil, &out)
}
