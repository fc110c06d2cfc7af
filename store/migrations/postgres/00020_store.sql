-- +goose Up
-- What the store is: the newest generation of tables that it was brought to, the
-- version of Blaise that did, and when it was last seen that it can be written.
CREATE TABLE store (
  id         INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL,
  version    TEXT NOT NULL,
  written_at BIGINT NOT NULL
);
INSERT INTO store (id, generation, version, written_at) VALUES (1, 0, '', 0);
