package store

import (
	"context"
	"errors"
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

// PutAgent writes an agent and keeps the revision.
func (tx *Tx) PutAgent(a Agent) error { return errors.ErrUnsupported }

// Agent reads and locks an agent. CodeNotFound.
func (tx *Tx) Agent(name blaise.AgentName) (Agent, error) { return Agent{}, errors.ErrUnsupported }

// Agent reads an agent. CodeNotFound.
func (db *DB) Agent(ctx context.Context, name blaise.AgentName) (Agent, error) {
	return Agent{}, errors.ErrUnsupported
}

// Agents lists the agents by name.
func (db *DB) Agents(ctx context.Context) ([]Agent, error) { return nil, errors.ErrUnsupported }

// AgentRevisions lists what an agent was, the latest revision first.
func (db *DB) AgentRevisions(ctx context.Context, name blaise.AgentName) ([]Agent, error) {
	return nil, errors.ErrUnsupported
}

// SessionsOf lists the sessions of an agent, oldest first; unended leaves out
// those that have ended.
func (db *DB) SessionsOf(
	ctx context.Context, agent blaise.AgentName, unended bool,
) ([]blaise.SessionID, error) {
	return nil, errors.ErrUnsupported
}
