-- +goose Up
-- What the agent of a session last said of it: shown, and nothing decides by it.
CREATE TABLE statuses (
  session TEXT PRIMARY KEY,
  body    TEXT NOT NULL
) WITHOUT ROWID;
