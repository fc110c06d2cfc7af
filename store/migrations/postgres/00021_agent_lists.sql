-- +goose Up
-- The lists of one agent's sessions, the latest first: all, those in a state,
-- and those that need a person.
CREATE INDEX sessions_agent_latest ON sessions (agent, created_at, id);
CREATE INDEX sessions_agent_state ON sessions (agent, state, created_at, id);
CREATE INDEX sessions_agent_attention ON sessions (agent, created_at, id) WHERE attention = 1;
