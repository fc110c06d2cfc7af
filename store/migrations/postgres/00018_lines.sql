-- +goose Up
-- Who waits in which line, and who was served last. What an older version writes while both are at work is
-- offered too, and counts from the next time this one writes it.
ALTER TABLE runs ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN author TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN works BIGINT NOT NULL DEFAULT 0; -- 1: it takes one of its agent's places
ALTER TABLE runs ADD COLUMN served_at BIGINT NOT NULL DEFAULT 0; -- when it was taken, if it has an agent
ALTER TABLE agents ADD COLUMN places BIGINT NOT NULL DEFAULT 0; -- its concurrency; 0: no limit

UPDATE runs SET
  agent = (SELECT s.agent FROM sessions s WHERE s.id = runs.session),
  author = COALESCE((SELECT s.body::json ->> 'Author' FROM sessions s WHERE s.id = runs.session), ''),
  works = CASE WHEN live = 1 AND body::json ->> 'Kind' IN ('start', 'resume') THEN 1 ELSE 0 END
  WHERE final = 0;

CREATE INDEX runs_line ON runs (queue, agent, author, offered_at, id) WHERE queue = 1;
CREATE INDEX runs_works ON runs (agent) WHERE works = 1;
CREATE INDEX runs_served ON runs (author, served_at) WHERE served_at > 0;
CREATE INDEX agents_places ON agents (name, places) WHERE places > 0;
