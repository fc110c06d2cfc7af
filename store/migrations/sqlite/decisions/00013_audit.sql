-- +goose Up
-- Who did what to Blaise itself. Lines are added, and never changed or taken out.
CREATE TABLE audit (
  n      INTEGER PRIMARY KEY AUTOINCREMENT,
  author TEXT NOT NULL,
  kind   TEXT NOT NULL,
  body   TEXT NOT NULL
);
CREATE INDEX audit_author ON audit (author, n);
CREATE INDEX audit_kind ON audit (kind, n);
-- +goose StatementBegin
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit lines stay as they are'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit lines are kept'); END;
-- +goose StatementEnd
