-- +goose Up
-- What stays of sessions that were deleted.
CREATE TABLE deletions (
  session  TEXT PRIMARY KEY,
  at       BIGINT NOT NULL,
  clear_at BIGINT NOT NULL, -- when to look for its transcript and files; 0: not any more
  body     TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX deletions_clear ON deletions (clear_at) WHERE clear_at > 0;

-- What a deletion looks for.
CREATE INDEX start_keys_message ON start_keys (message);
CREATE INDEX sessions_open ON sessions (id) WHERE ended = 0;
