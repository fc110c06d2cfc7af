-- +goose Up
-- Times are nanoseconds since 1970 in UTC, 0 for none. A body is the whole
-- row as JSON; the columns beside it are what queries look for. The names of
-- the states stand in no query and no CHECK: Go writes facts (queue, live,
-- final, armed) instead.
CREATE TABLE sessions (
  id          TEXT PRIMARY KEY,
  agent       TEXT NOT NULL,
  state       TEXT NOT NULL,
  ended       INTEGER NOT NULL,
  held        INTEGER NOT NULL,
  runner      TEXT NOT NULL,
  environment TEXT NOT NULL,
  waits       INTEGER NOT NULL, -- open questions
  attention   INTEGER NOT NULL, -- a person is needed
  search      TEXT NOT NULL,    -- id, title, author, reason in lower case
  notices     BIGINT NOT NULL,  -- the number of the last notice
  version     BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  body        TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_created ON sessions (created_at, id);
CREATE INDEX sessions_state ON sessions (state, created_at, id);
CREATE INDEX sessions_agent ON sessions (agent, ended, created_at, id);
CREATE INDEX sessions_runner ON sessions (runner, ended);
CREATE INDEX sessions_attention ON sessions (created_at, id) WHERE attention = 1;

CREATE TABLE environments (
  id         TEXT PRIMARY KEY,
  session    TEXT NOT NULL,
  generation INTEGER NOT NULL,
  state      TEXT NOT NULL,
  config     BLOB, -- the blaise.yml it was opened with
  body       TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX environments_session ON environments (session, generation);

CREATE TABLE plug_states (
  environment TEXT NOT NULL,
  plug        TEXT NOT NULL,
  value       BLOB NOT NULL, -- sealed
  PRIMARY KEY (environment, plug)
);

CREATE TABLE runs (
  id         TEXT PRIMARY KEY,
  session    TEXT NOT NULL,
  attempt    INTEGER NOT NULL,
  runner     TEXT NOT NULL,
  instance   TEXT NOT NULL,
  queue      INTEGER,          -- its place among the offered: 0 teardown, 1 others; NULL: not offered
  live       INTEGER NOT NULL, -- accepted, not ended
  final      INTEGER NOT NULL,
  not_before BIGINT NOT NULL,
  offered_at BIGINT NOT NULL,
  ended_at   BIGINT NOT NULL,
  nonce      TEXT,
  token_hash BLOB,
  body       TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX runs_session ON runs (session, final, ended_at, attempt);
CREATE INDEX runs_offered ON runs (queue, offered_at, id) WHERE queue IS NOT NULL;
CREATE INDEX runs_runner ON runs (runner) WHERE live = 1;
CREATE INDEX runs_instance ON runs (instance) WHERE live = 1;
CREATE UNIQUE INDEX runs_token ON runs (token_hash) WHERE token_hash IS NOT NULL;

CREATE TABLE messages (
  id      TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  n       INTEGER NOT NULL,
  key     TEXT, -- NULL: none
  final   INTEGER NOT NULL,
  body    TEXT NOT NULL
);
CREATE INDEX messages_session ON messages (session, final, n);
CREATE UNIQUE INDEX messages_key ON messages (session, key) WHERE key IS NOT NULL;

-- The first message of a session, by the idempotency key of its start.
CREATE TABLE start_keys (
  key     TEXT PRIMARY KEY,
  message TEXT NOT NULL
);

CREATE TABLE questions (
  id      TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  n       INTEGER NOT NULL,
  final   INTEGER NOT NULL,
  body    TEXT NOT NULL
);
CREATE INDEX questions_session ON questions (session, final, n);

CREATE TABLE clocks (
  session TEXT NOT NULL,
  kind    TEXT NOT NULL,
  subject TEXT NOT NULL,
  since   BIGINT NOT NULL,
  due_at  BIGINT NOT NULL,
  armed   INTEGER NOT NULL, -- 0 while the session is held
  setting TEXT NOT NULL,
  PRIMARY KEY (session, kind, subject)
) WITHOUT ROWID;
CREATE INDEX clocks_due ON clocks (due_at) WHERE armed = 1;

CREATE TABLE directives (
  session TEXT NOT NULL,
  n       BIGINT NOT NULL,
  run     TEXT NOT NULL,
  state   TEXT NOT NULL, -- open, received, void
  verdict TEXT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (session, n)
);
CREATE INDEX directives_run ON directives (run, state, n);

CREATE TABLE answers (
  run    TEXT NOT NULL,
  n      BIGINT NOT NULL,
  answer BLOB NOT NULL,
  PRIMARY KEY (run, n)
) WITHOUT ROWID;

CREATE TABLE saves (
  session TEXT NOT NULL,
  n       INTEGER NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (session, n)
) WITHOUT ROWID;

CREATE TABLE history (
  session TEXT NOT NULL,
  version BIGINT NOT NULL, -- of the session after the change
  n       INTEGER NOT NULL,
  at      BIGINT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (session, version, n)
) WITHOUT ROWID;

-- Notices on their way to the transcript.
CREATE TABLE outbox (
  session TEXT NOT NULL,
  n       BIGINT NOT NULL,
  event   TEXT NOT NULL,
  PRIMARY KEY (session, n)
);

CREATE TABLE agents (
  name         TEXT PRIMARY KEY,
  revision     INTEGER NOT NULL,
  requirements TEXT NOT NULL, -- JSON
  body         TEXT NOT NULL
);
CREATE TABLE agent_revisions (
  name     TEXT NOT NULL,
  revision INTEGER NOT NULL,
  body     TEXT NOT NULL,
  PRIMARY KEY (name, revision)
);

CREATE TABLE runners (
  id         TEXT PRIMARY KEY,
  token_hash BLOB NOT NULL,
  created_at BIGINT NOT NULL,
  body       TEXT NOT NULL
);
CREATE UNIQUE INDEX runners_token ON runners (token_hash);
CREATE TABLE instances (
  id     TEXT PRIMARY KEY,
  runner TEXT NOT NULL,
  body   TEXT NOT NULL
);
CREATE INDEX instances_runner ON instances (runner, id);

CREATE TABLE user_tokens (
  hash       BLOB PRIMARY KEY,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  body       TEXT NOT NULL
);
CREATE TABLE login_codes (
  hash       BLOB PRIMARY KEY,
  expires_at BIGINT NOT NULL
);

-- What the store knows of itself.
CREATE TABLE facts (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
