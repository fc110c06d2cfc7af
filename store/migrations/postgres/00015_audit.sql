-- +goose Up
-- Who did what to Blaise itself. Lines are added, and never changed or taken out.
CREATE TABLE audit (
  n      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  author TEXT NOT NULL,
  kind   TEXT NOT NULL,
  body   TEXT NOT NULL
);
CREATE INDEX audit_author ON audit (author, n);
CREATE INDEX audit_kind ON audit (kind, n);
-- +goose StatementBegin
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'audit lines are kept as they are'; END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept();
