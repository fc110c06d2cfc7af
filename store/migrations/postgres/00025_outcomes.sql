-- +goose Up
-- How a session ended, to be found and counted by. Within a text of the body the
-- quotes would be escaped.
ALTER TABLE sessions ADD COLUMN outcome TEXT
  GENERATED ALWAYS AS (substring(body FROM '"Outcome":"([a-z_]*)"')) STORED;
CREATE INDEX sessions_outcome ON sessions (outcome, created_at, id);
CREATE INDEX sessions_agent_outcome ON sessions (agent, outcome, created_at, id);
CREATE INDEX sessions_failed ON sessions (updated_at) WHERE outcome = 'failed';
