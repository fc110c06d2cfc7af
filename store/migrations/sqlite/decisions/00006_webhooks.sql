-- +goose Up
-- Addresses that are told of what happens.
CREATE TABLE webhooks (
  id         TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL,
  secret     BLOB NOT NULL, -- sealed
  body       TEXT NOT NULL
) WITHOUT ROWID;

-- What they are told, sent or not.
CREATE TABLE deliveries (
  id         TEXT PRIMARY KEY, -- sorts by time
  webhook    TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  due_at     BIGINT NOT NULL, -- of the next attempt; 0: there is none
  body       TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX deliveries_webhook ON deliveries (webhook, id);
CREATE INDEX deliveries_created ON deliveries (created_at);
CREATE INDEX deliveries_due ON deliveries (due_at, webhook) WHERE due_at > 0;
