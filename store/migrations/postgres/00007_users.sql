-- +goose Up
CREATE TABLE users (
  name    TEXT PRIMARY KEY,
  subject TEXT,          -- who they are at the OpenID provider
  admin   BIGINT NOT NULL, -- 1: may do everything
  body    TEXT NOT NULL
);
CREATE UNIQUE INDEX users_subject ON users (subject);

-- Until now whoever had a token was an administrator.
INSERT INTO users (name, admin, body)
  SELECT DISTINCT body::json->>'Name', 1,
    json_build_object('Name', body::json->>'Name', 'Role', 'admin', 'By', 'upgrade')::text
  FROM user_tokens;

ALTER TABLE user_tokens ADD COLUMN owner TEXT NOT NULL DEFAULT '';
UPDATE user_tokens SET owner = body::json->>'Name';
CREATE INDEX user_tokens_owner ON user_tokens (owner, created_at);

-- Whom a code signs in; one that an older version made names nobody.
ALTER TABLE login_codes ADD COLUMN body TEXT NOT NULL DEFAULT '{}';
