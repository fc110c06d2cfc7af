-- +goose Up
-- A chunk is a batch of events of one run: JSON lines as received, whose
-- numbers in the session are first_seq to last_seq.
CREATE TABLE chunks (
  session   TEXT NOT NULL,
  first_seq BIGINT NOT NULL,
  last_seq  BIGINT NOT NULL,
  run       TEXT NOT NULL, -- '' for Blaise's own notices
  first_n   BIGINT NOT NULL,
  body      BLOB NOT NULL,
  PRIMARY KEY (session, first_seq)
);
CREATE TABLE heads (
  session  TEXT PRIMARY KEY,
  last_seq BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE records (
  session TEXT NOT NULL,
  run     TEXT NOT NULL,
  last_n  BIGINT NOT NULL,
  digest  BLOB NOT NULL,
  PRIMARY KEY (session, run)
) WITHOUT ROWID;
