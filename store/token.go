package store

import (
	"context"
	"errors"
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
func (tx *Tx) PutUserToken(t UserToken) error { return errors.ErrUnsupported }

// DeleteUserToken forgets a user token, known or not.
func (tx *Tx) DeleteUserToken(hash []byte) error { return errors.ErrUnsupported }

// UserByToken finds a user token. CodeNotFound: unknown or expired.
func (db *DB) UserByToken(ctx context.Context, hash []byte) (UserToken, error) {
	return UserToken{}, errors.ErrUnsupported
}

// ListUserTokens lists the user tokens, oldest first.
func (db *DB) ListUserTokens(ctx context.Context) ([]UserToken, error) {
	return nil, errors.ErrUnsupported
}

// PutLoginCode keeps a one-use login code by its SHA-256, until it expires.
func (tx *Tx) PutLoginCode(hash []byte, expires time.Time) error { return errors.ErrUnsupported }

// TakeLoginCode uses a login code up: true once, and not after it has expired.
func (tx *Tx) TakeLoginCode(hash []byte) (bool, error) { return false, errors.ErrUnsupported }
