package api

import (
	"encoding/json"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// An Agent is what GET /api/agents answers of an agent.
type Agent struct {
	Name     blaise.AgentName `json:"name"`
	State    string           `json:"state"` // enabled, disabled, archived
	Revision int              `json:"revision"`
	Spec     json.RawMessage  `json:"spec"`
	By       string           `json:"by"`
	At       time.Time        `json:"at"`
	AtWork   int              `json:"at_work"`           // runs that have a process of it
	Waiting  int              `json:"waiting"`           // runs that wait for one
	Lacking  int              `json:"lacking,omitempty"` // of those that wait: which no runner that is here may take
	Limit    int              `json:"limit,omitempty"`   // its concurrency; 0: any number at work
}

// Work says how many runs the agent has at work, of how many, and how many wait;
// "" if none is there.
func (a Agent) Work() string {
	text := fmt.Sprintf("%d at work", a.AtWork)
	if a.Limit > 0 {
		text = fmt.Sprintf("%d of %d at work", a.AtWork, a.Limit)
	}
	switch {
	case a.Waiting > 0 && a.Lacking == a.Waiting:
		return fmt.Sprintf("%s, %d waiting (no runner)", text, a.Waiting)
	case a.Waiting > 0 && a.Lacking > 0:
		return fmt.Sprintf("%s, %d waiting (%d without a runner)", text, a.Waiting, a.Lacking)
	case a.Waiting > 0:
		return fmt.Sprintf("%s, %d waiting", text, a.Waiting)
	case a.AtWork == 0 && a.Limit == 0:
		return ""
	}
	return text
}

// AgentState is the body of POST /api/agents/{name}/state: enabled, disabled or
// archived (A27).
type AgentState struct {
	State string `json:"state"`
}

// Applied answers POST /api/agents?dryRun=, whose body is a manifest in YAML or
// JSON, as it stands in the file.
type Applied struct {
	Name     blaise.AgentName `json:"name"`
	Revision int              `json:"revision"`
	Result   string           `json:"result"` // created, changed, unchanged
	DryRun   bool             `json:"dryRun,omitempty"`
	Effects  []string         `json:"effects,omitempty"`
}

// A Runner is what GET /api/runners answers of a runner.
type Runner struct {
	ID        blaise.RunnerID   `json:"id"`
	Name      string            `json:"name"`
	Labels    map[string]string `json:"labels"`
	SingleUse bool              `json:"singleUse"`
	Revoked   bool              `json:"revoked"`
	RevokedBy string            `json:"revoked_by,omitempty"`
	RevokedAt time.Time         `json:"revoked_at,omitzero"`
	Leaving   *Leaving          `json:"leaving,omitempty"`        // it is revoked when nothing is left there
	OldUntil  time.Time         `json:"old_token_until,omitzero"` // the token that was replaced is good until then
	CreatedAt time.Time         `json:"created_at"`
	Instances []Instance        `json:"instances"`
}

// A Leaving says who wished that a runner be revoked when its last run has
// ended, and when turns that are open are cancelled for it.
type Leaving struct {
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	Until time.Time `json:"until"`
}

// An Instance is one daemon of a Runner.
type Instance struct {
	ID        blaise.InstanceID `json:"id"`
	Host      string            `json:"host"`
	Machine   blaise.MachineID  `json:"machine"`
	Version   string            `json:"version"`
	Slots     int               `json:"slots"`
	Runs      []blaise.RunID    `json:"runs"`
	LastSeen  time.Time         `json:"last_seen"`
	Online    bool              `json:"online"`
	StoppedAt time.Time         `json:"stopped_at,omitzero"` // when it said that it stops; zero: it runs, or was cut off
	Draining  bool              `json:"draining"`
	Once      bool              `json:"once,omitempty"`   // there for one run
	Paused    string            `json:"paused,omitempty"` // why it takes nothing but teardowns
	Probed    []blaise.Probed   `json:"probed,omitempty"` // what `runner probe` found there
	OS        string            `json:"os,omitempty"`
	Arch      string            `json:"arch,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"` // its own, beside those of the token
	Agents    []string          `json:"agents,omitempty"` // those that its blaise.yml can start
	Ahead     float64           `json:"clock_ahead"`      // seconds, at its last hello
}

// NewToken makes a runner token: POST /api/tokens. DELETE /api/tokens/{id}
// revokes it (A31).
type NewToken struct {
	Name      string            `json:"name"`
	Labels    map[string]string `json:"labels,omitempty"`
	SingleUse bool              `json:"singleUse,omitempty"`
	Session   blaise.SessionID  `json:"session,omitempty"` // the only one that a single-use token is for
}

// Token answers NewToken. Secret is shown this once.
type Token struct {
	ID     blaise.RunnerID `json:"id"`
	Name   string          `json:"name"`
	Secret string          `json:"secret,omitempty"`
}

// RotateToken is the body of POST /api/tokens/{id}/rotate, which answers a
// Token: the one it replaces is good for Overlap, a duration such as 24h, beside
// it.
type RotateToken struct {
	Overlap string `json:"overlap"`
}

// Login exchanges a one-use code for a token: POST /api/login.
type Login struct {
	Code string `json:"code"`
}

// LoggedIn answers Login.
type LoggedIn struct {
	Token string `json:"token"`
	Name  string `json:"name"`
	Role  string `json:"role"`
}

// Link answers POST /api/login/link: a link that signs one browser in, once,
// and the code in it, for `blaise login`.
type Link struct {
	URL  string `json:"url"`
	Code string `json:"code"`
}

// Dev is the file DATA/dev.json that `blaise dev` writes when it is ready.
type Dev struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

// Me answers GET /api/me: who a user's token belongs to, and the version of
// Blaise.
type Me struct {
	Name    string `json:"name"`
	Role    string `json:"role"`
	Version string `json:"version"`
}
