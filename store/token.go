package store

import (
	"context"
	"fmt"
	"time"
)

// A UserToken is a person's or a script's token, by its SHA-256.
type UserToken struct {
	Hash      []byte
	Name      string
	Role      string
	By        string
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
}

// PutUserToken writes a user token.
func (tx *Tx) PutUserToken(t UserToken) error {
	utc(&t.CreatedAt, &t.ExpiresAt)
	err := tx.exec(`INSERT INTO user_tokens (hash, created_at, expires_at, body)
		VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE SET
		expires_at = excluded.expires_at, body = excluded.body`,
		t.Hash, nanos(t.CreatedAt), nanos(t.ExpiresAt), encode(t))
	if err != nil {
		return fmt.Errorf("write token of %s: %w", t.Name, err)
	}
	return nil
}

// DeleteUserToken forgets a user token, known or not.
func (tx *Tx) DeleteUserToken(hash []byte) error {
	return tx.exec(`DELETE FROM user_tokens WHERE hash = ?`, hash)
}

// UserByToken finds a user token. CodeNotFound: unknown or expired.
func (db *DB) UserByToken(ctx context.Context, hash []byte) (UserToken, error) {
	return need[UserToken](db.read(ctx), "token", `SELECT body FROM user_tokens
		WHERE hash = ? AND (expires_at = 0 OR expires_at > ?)`, hash, nanos(db.now()))
}

// ListUserTokens lists the user tokens, oldest first.
func (db *DB) ListUserTokens(ctx context.Context) ([]UserToken, error) {
	return bodies[UserToken](db.read(ctx),
		`SELECT body FROM user_tokens ORDER BY created_at, hash`)
}

// PutLoginCode keeps a one-use login code by its SHA-256, until it expires.
func (tx *Tx) PutLoginCode(hash []byte, expires time.Time) error {
	err := tx.exec(`DELETE FROM login_codes WHERE expires_at <= ?`, nanos(tx.db.now()))
	if err != nil {
		return fmt.Errorf("forget old login codes: %w", err)
	}
	return tx.exec(`INSERT INTO login_codes (hash, expires_at) VALUES (?, ?)`,
		hash, nanos(expires))
}

// TakeLoginCode uses a login code up: true once, and not after it has expired.
func (tx *Tx) TakeLoginCode(hash []byte) (bool, error) {
	n, err := tx.q.exec(`DELETE FROM login_codes WHERE hash = ? AND expires_at > ?`,
		hash, nanos(tx.db.now()))
	return n > 0, err
}
