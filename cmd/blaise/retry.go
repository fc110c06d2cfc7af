package main

import (
	"context"
	"fmt"
	"time"

	"blaise.dev/blaise"

	"github.com/cenkalti/backoff/v5"
)

// tries is how often a message is sent when no answer comes: enough for a
// restart of Blaise, and a person need not wait long to hear that it is down.
const tries = 5

// again asks until an answer comes. It is for what carries a key, so that
// asking twice does nothing twice.
func again[T any](ctx context.Context, a *app, ask func() (T, error)) (T, error) {
	pace := backoff.NewExponentialBackOff()
	pace.InitialInterval = 200 * time.Millisecond
	return backoff.Retry(ctx, func() (T, error) {
		v, err := ask()
		if err != nil && blaise.CodeOf(err) != blaise.CodeUnreachable {
			return v, backoff.Permanent(err)
		}
		return v, err
	}, backoff.WithBackOff(pace), backoff.WithMaxTries(tries),
		backoff.WithNotify(func(error, time.Duration) {
			fmt.Fprintln(a.err, "blaise: no answer; asking again")
		}))
}
