package control

import (
	"context"
	"sync"
	"time"

	"blaise.dev/blaise"
)

// errChanged ends what a user follows.
var errChanged = blaise.Errorf(blaise.CodeDenied, "what the token opens has changed").WithHint("come again")

// Allowed returns a context that ends when the token that a user came with
// opens nothing more, or another role than it did, and a function that gives it
// back. Who follows something for long comes again then, and is let in or not.
func (c *Control) Allowed(ctx context.Context, u User) (context.Context, func()) {
	changed, leave := c.hub.Follow(TopicUser(u.Name))
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { cancel(c.untilDenied(ctx, u, changed)) })
	return ctx, func() {
		cancel(nil)
		leave()
		watch.Wait()
	}
}

// untilDenied answers why a token opens no more what it did, as soon as it does
// not, also if that was before changed was followed.
func (c *Control) untilDenied(ctx context.Context, u User, changed <-chan struct{}) error {
	for {
		now, err := c.byHash(ctx, []byte(u.hash))
		switch {
		case err != nil:
			return err
		case now.Role != u.Role:
			return errChanged
		}
		var expired <-chan time.Time
		if !u.expires.IsZero() {
			expired = time.After(u.expires.Sub(c.now()))
		}
		select {
		case <-changed:
		case <-expired:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
