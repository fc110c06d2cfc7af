-- +goose Up
-- An offered run may be taken at once: what waits is a clock.
ALTER TABLE runs DROP COLUMN not_before;
