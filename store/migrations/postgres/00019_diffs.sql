-- +goose Up
-- What a session changed, as its run told it last: shown, and nothing decides by it.
CREATE TABLE diffs (
  session TEXT PRIMARY KEY,
  body    TEXT NOT NULL
);
