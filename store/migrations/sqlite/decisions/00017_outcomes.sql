-- +goose Up
-- How a session ended, to be found and counted by.
ALTER TABLE sessions ADD COLUMN outcome TEXT
  GENERATED ALWAYS AS (json_extract(body, '$.Outcome')) VIRTUAL;
CREATE INDEX sessions_outcome ON sessions (outcome, created_at, id);
CREATE INDEX sessions_failed ON sessions (updated_at) WHERE outcome = 'failed';
