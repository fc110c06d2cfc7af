package control

import (
	"context"

	"blaise.dev/blaise/store"
)

// Logout makes a user token worthless. One that is not known is no error.
func (c *Control) Logout(ctx context.Context, token string) error {
	return c.db.Tx(ctx, func(tx *store.Tx) error { return tx.DeleteUserToken(HashToken(token)) })
}
