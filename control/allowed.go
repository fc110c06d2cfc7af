package control

import (
	"context"
	"errors"
	"sync"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// errChanged ends what a user follows.
var errChanged = errors.New("what the user's tokens open has changed")

// Allowed returns a context that ends when what a user's tokens open changes,
// and a function that gives it back. Who follows something for long comes again
// then, and is let in or not.
func (c *Control) Allowed(ctx context.Context, name string) (context.Context, func()) {
	changed, leave := c.hub.Follow(TopicUser(name))
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-changed:
			cancel(errChanged)
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel(nil)
		leave()
		watch.Wait()
	}
}

// SignOut ends all that a user is signed in with, browsers and terminals. Their
// tokens for scripts go on, and that of who owns the data folder. A personal
// token does not sign its own user out: CodeDenied.
func (c *Control) SignOut(ctx context.Context, by User, name string) error {
	if by.Personal && by.Name == name {
		return blaise.Errorf(blaise.CodeDenied, "a personal token does not sign its user out").
			WithHint("sign this terminal in with `blaise login`")
	}
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		if _, err := known(tx, name); err != nil {
			return err
		}
		all, err := tx.UserTokens(name)
		for _, t := range all {
			if err == nil && !t.Personal && !t.ExpiresAt.IsZero() {
				err = tx.DeleteUserToken(t.Hash)
			}
		}
		return err
	})
	if err == nil {
		c.log.Info("user signed out everywhere", "user", name, "by", by.Name)
		c.hub.Wake(TopicUser(name))
	}
	return err
}
