-- +goose Up
-- A blob is a file kept for a session under the SHA-256 of its bytes, which
-- came as one upload. uploads has those that are under way.
CREATE TABLE blobs (
  session TEXT NOT NULL,
  sha256  TEXT NOT NULL,
  upload  TEXT NOT NULL,
  size    BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (session, sha256)
) WITHOUT ROWID;
CREATE TABLE uploads (
  upload TEXT PRIMARY KEY,
  at     BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE blob_parts (
  upload TEXT NOT NULL,
  n      BIGINT NOT NULL,
  bytes  BLOB NOT NULL,
  PRIMARY KEY (upload, n)
);
