-- +goose Up
-- Whose a sign-in link is: it ends with the user, and with the next invitation.
ALTER TABLE login_codes ADD COLUMN owner TEXT NOT NULL DEFAULT '';
UPDATE login_codes SET owner = COALESCE(body::json->>'Name', '');
