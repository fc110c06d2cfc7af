-- +goose Up
-- The token that a runner had before, which opens for a while beside the new one.
ALTER TABLE runners ADD COLUMN old_hash BYTEA;
CREATE UNIQUE INDEX runners_old_token ON runners (old_hash) WHERE old_hash IS NOT NULL;
