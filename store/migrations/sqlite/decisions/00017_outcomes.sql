-- +goose Up
-- How a session ended, to be found and counted by. It is kept here, whoever
-- writes the body, so that an earlier version need not know of it.
ALTER TABLE sessions ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
UPDATE sessions SET outcome = COALESCE(json_extract(body, '$.Outcome'), '');
-- +goose StatementBegin
CREATE TRIGGER sessions_begun AFTER INSERT ON sessions
  WHEN NEW.ended = 1 AND NEW.outcome <> COALESCE(json_extract(NEW.body, '$.Outcome'), '')
BEGIN
  UPDATE sessions SET outcome = COALESCE(json_extract(body, '$.Outcome'), '') WHERE id = NEW.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER sessions_changed AFTER UPDATE OF body ON sessions
  WHEN NEW.ended = 1 AND NEW.outcome <> COALESCE(json_extract(NEW.body, '$.Outcome'), '')
BEGIN
  UPDATE sessions SET outcome = COALESCE(json_extract(body, '$.Outcome'), '') WHERE id = NEW.id;
END;
-- +goose StatementEnd
CREATE INDEX sessions_outcome ON sessions (outcome, created_at, id);
CREATE INDEX sessions_agent_outcome ON sessions (agent, outcome, created_at, id);
CREATE INDEX sessions_failed ON sessions (updated_at) WHERE outcome = 'failed';
