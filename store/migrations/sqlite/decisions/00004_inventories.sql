-- +goose Up
-- 0: the environment holds nothing, 1: it may, 2: a person must see to what is
-- left. An older version writes neither; 1 is what it would not know.
ALTER TABLE environments ADD COLUMN holds INTEGER NOT NULL DEFAULT 1;
CREATE INDEX environments_holds ON environments (holds, session) WHERE holds > 0;

-- The last inventory of an instance.
CREATE TABLE inventories (
  instance TEXT PRIMARY KEY,
  runner   TEXT NOT NULL,
  body     TEXT NOT NULL
) WITHOUT ROWID;
