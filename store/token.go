package store

import (
	"context"
	"fmt"
	"time"
)

// A UserToken is a person's or a script's token, by its SHA-256. ID names it
// without opening anything.
type UserToken struct {
	Hash      []byte
	ID        string
	Name      string // of the user
	Label     string // what the user calls it, or what it was made for
	Personal  bool   // made by its user, for a script
	Scope     string // the most that it opens, as a role; "" for all that the user may
	By        string
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	Bound     bool      // what it signs in ends with it
}

// PutUserToken writes a user token.
func (tx *Tx) PutUserToken(t UserToken) error {
	utc(&t.CreatedAt, &t.ExpiresAt)
	err := tx.exec(`INSERT INTO user_tokens (hash, owner, created_at, expires_at, body)
		VALUES (?, ?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE SET
		expires_at = excluded.expires_at, body = excluded.body`,
		t.Hash, t.Name, nanos(t.CreatedAt), nanos(t.ExpiresAt), encode(t))
	if err != nil {
		return fmt.Errorf("write token of %s: %w", t.Name, err)
	}
	return nil
}

// DeleteUserToken forgets a user token, known or not.
func (tx *Tx) DeleteUserToken(hash []byte) error {
	return tx.exec(`DELETE FROM user_tokens WHERE hash = ?`, hash)
}

// ForgetExpired deletes the user tokens that have expired.
func (tx *Tx) ForgetExpired() error {
	return tx.exec(`DELETE FROM user_tokens WHERE expires_at > 0 AND expires_at <= ?`, nanos(tx.db.now()))
}

// UserByToken finds a user token. CodeNotFound: unknown or expired.
func (db *DB) UserByToken(ctx context.Context, hash []byte) (UserToken, error) {
	return need[UserToken](db.read(ctx), "token", `SELECT body FROM user_tokens
		WHERE hash = ? AND (expires_at = 0 OR expires_at > ?)`, hash, nanos(db.now()))
}

// UserTokens lists the tokens of a user, oldest first.
func (tx *Tx) UserTokens(owner string) ([]UserToken, error) { return userTokens(tx.q, owner) }

// UserTokens lists the tokens of a user, oldest first.
func (db *DB) UserTokens(ctx context.Context, owner string) ([]UserToken, error) {
	return userTokens(db.read(ctx), owner)
}

func userTokens(q querier, owner string) ([]UserToken, error) {
	return bodies[UserToken](q,
		`SELECT body FROM user_tokens WHERE owner = ? ORDER BY created_at, hash`, owner)
}

// A LoginCode signs somebody in, once.
type LoginCode struct {
	Name  string    // of the user; "" from an older version, for nobody
	Scope string    // of the token that it is exchanged for
	Until time.Time // the most that the token lives; zero: as long as any
}

// PutLoginCode keeps a one-use login code by its SHA-256, until it expires.
func (tx *Tx) PutLoginCode(hash []byte, expires time.Time, c LoginCode) error {
	err := tx.exec(`DELETE FROM login_codes WHERE expires_at <= ?`, nanos(tx.db.now()))
	if err != nil {
		return fmt.Errorf("forget old login codes: %w", err)
	}
	return tx.exec(`INSERT INTO login_codes (hash, owner, expires_at, body) VALUES (?, ?, ?, ?)`,
		hash, c.Name, nanos(expires), encode(c))
}

// HasLoginCode says that a login code may still be used.
func (db *DB) HasLoginCode(ctx context.Context, hash []byte) (bool, error) {
	_, found, err := body[LoginCode](db.read(ctx), `SELECT body FROM login_codes WHERE hash = ? AND expires_at > ?`,
		hash, nanos(db.now()))
	return found, err
}

// DeleteLoginCodes makes all codes that sign a user in worthless.
func (tx *Tx) DeleteLoginCodes(owner string) error {
	return tx.exec(`DELETE FROM login_codes WHERE owner = ?`, owner)
}

// TakeLoginCode uses a login code up: true once, and not after it has expired.
func (tx *Tx) TakeLoginCode(hash []byte) (LoginCode, bool, error) {
	c, found, err := body[LoginCode](tx.q, `SELECT body FROM login_codes WHERE hash = ?`, hash)
	if err != nil || !found {
		return c, false, err
	}
	n, err := tx.q.exec(`DELETE FROM login_codes WHERE hash = ? AND expires_at > ?`,
		hash, nanos(tx.db.now()))
	return c, n > 0, err
}
