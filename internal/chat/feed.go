package chat

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sync/errgroup"
)

const (
	gather  = 25 * time.Millisecond // what happens within is shown at once
	atATime = 500                   // and so much of it
)

// A batch is what has happened since the one before.
type batch []api.Followed

// A lost feed has ended, for a reason or because the chat has.
type lost struct{ err error }

// A feed sends the program what happens in a session.
type feed struct {
	client *api.Client
	after  int64
	send   func(tea.Msg)
}

// run follows the session that is begun, until ctx ends.
func (f feed) run(ctx context.Context, begun <-chan blaise.SessionID) {
	var id blaise.SessionID
	select {
	case id = <-begun:
	case <-ctx.Done():
		return
	}
	in := make(chan api.Followed, atATime)
	var g errgroup.Group
	g.Go(func() error {
		defer close(in)
		return f.client.Follow(ctx, id, f.after, func(x api.Followed) error {
			select {
			case in <- x:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	})
	for x := range in {
		f.send(batch(collect(in, x)))
	}
	if err := g.Wait(); ctx.Err() == nil {
		f.send(lost{err})
	}
}

// collect takes what comes soon after the first.
func collect(in <-chan api.Followed, first api.Followed) []api.Followed {
	all := []api.Followed{first}
	soon := time.NewTimer(gather)
	defer soon.Stop()
	for len(all) < atATime {
		select {
		case x, ok := <-in:
			if !ok {
				return all
			}
			all = append(all, x)
		case <-soon.C:
			return all
		}
	}
	return all
}
