package store

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"
)

// The states of an Agent (A27).
const (
	AgentEnabled  = "enabled"
	AgentDisabled = "disabled"
	AgentArchived = "archived"
)

// An Agent is an agent as applied last.
type Agent struct {
	Name         blaise.AgentName
	Spec         []byte // JSON of the whole manifest
	Policy       blaise.Policy
	Requirements map[string]string
	State        string // AgentEnabled, AgentDisabled, AgentArchived
	Revision     int
	By           string
	At           time.Time
}

// PutAgent writes an agent and keeps it as a revision; the same revision
// again (its state changed) replaces what was kept.
func (tx *Tx) PutAgent(a Agent) error {
	utc(&a.At)
	raw := encode(a)
	err := tx.exec(`INSERT INTO agents (name, revision, requirements, places, body)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET revision = excluded.revision,
		requirements = excluded.requirements, places = excluded.places, body = excluded.body`,
		string(a.Name), a.Revision, encode(a.Requirements), a.Policy.Concurrency, raw)
	if err == nil {
		err = tx.exec(`INSERT INTO agent_revisions (name, revision, body) VALUES (?, ?, ?)
			ON CONFLICT (name, revision) DO UPDATE SET body = excluded.body`,
			string(a.Name), a.Revision, raw)
	}
	if err != nil {
		return fmt.Errorf("write agent %s: %w", a.Name, err)
	}
	return nil
}

// Agent reads an agent, which stays as it is until the commit. CodeNotFound.
func (tx *Tx) Agent(name blaise.AgentName) (Agent, error) { return agent(tx.q, name) }

// Agent reads an agent. CodeNotFound.
func (db *DB) Agent(ctx context.Context, name blaise.AgentName) (Agent, error) {
	q := db.read(ctx)
	q.d.share = "" // nothing is written on it
	return agent(q, name)
}

func agent(q querier, name blaise.AgentName) (Agent, error) {
	return need[Agent](q, "agent "+string(name),
		`SELECT body FROM agents WHERE name = ?`+q.d.share, clean(string(name)))
}

// Agents lists the agents by name.
func (db *DB) Agents(ctx context.Context) ([]Agent, error) {
	return bodies[Agent](db.read(ctx), `SELECT body FROM agents ORDER BY name`)
}

// AgentRevisions lists what an agent was, the latest revision first.
func (db *DB) AgentRevisions(ctx context.Context, name blaise.AgentName) ([]Agent, error) {
	return bodies[Agent](db.read(ctx),
		`SELECT body FROM agent_revisions WHERE name = ? ORDER BY revision DESC`,
		clean(string(name)))
}

// SessionsOf lists the sessions of an agent, oldest first; unended leaves out
// those that have ended.
func (db *DB) SessionsOf(
	ctx context.Context, agent blaise.AgentName, unended bool,
) ([]blaise.SessionID, error) {
	return sessionIDs(db.read(ctx), `SELECT id FROM sessions WHERE agent = ? AND ended <= ?
		ORDER BY created_at, id`, clean(string(agent)), flag(!unended))
}
