package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"blaise.dev/blaise"
)

// FollowDirectives calls fn for directives above after as they are issued or
// taken back, one call at a time, until ctx ends (its cause), fn fails (its
// error), or Blaise refuses (CodeStale: stop now). It goes on by itself after
// an outage, and polls where streams are held back. Lease token.
func (c *Client) FollowDirectives(ctx context.Context, after int64, fn func(Directives) error) error {
	f := follower{c: c, path: "/api/run/directives/stream", after: after}
	highest := func(d Directives, after int64) int64 {
		for _, x := range d.Directives {
			after = max(after, x.N)
		}
		return after
	}
	f.take = func(m message) (int64, error) {
		if m.event != "directives" {
			return 0, nil
		}
		var d Directives
		if err := json.Unmarshal(m.data, &d); err != nil {
			return 0, fmt.Errorf("read directives: %w", err)
		}
		return highest(d, 0), fn(d)
	}
	f.poll = func(ctx context.Context, after int64) (int64, error) {
		d, err := c.Directives(ctx, after, c.o.Poll)
		if err != nil || len(d.Directives)+len(d.Void) == 0 {
			return after, err
		}
		f.failed = fn(d)
		return highest(d, after), f.failed
	}
	return f.run(ctx)
}

// Follow calls fn for every event of a session's transcript after a seq, and
// for the session whenever it changed, one call at a time. The session comes
// first. It ends and goes on as FollowDirectives does. User token.
func (c *Client) Follow(
	ctx context.Context, id blaise.SessionID, after int64, fn func(Followed) error,
) error {
	f := follower{c: c, path: session(id, "/stream"), after: after}
	f.take = func(m message) (int64, error) {
		x, err := followed(m)
		if err != nil || x == (Followed{}) {
			return 0, err
		}
		return seqOf(x), fn(x)
	}
	f.poll = func(ctx context.Context, after int64) (int64, error) {
		var out []Followed
		err := c.do(ctx, call{
			method: http.MethodGet, path: session(id, "/follow"), out: &out, within: c.o.Poll + shortDeadline,
			query: url.Values{"after": {strconv.FormatInt(after, 10)}, "wait": {seconds(c.o.Poll)}},
		})
		if err != nil {
			return after, err
		}
		for _, x := range out {
			if f.failed = fn(x); f.failed != nil {
				return after, f.failed
			}
			after = max(after, seqOf(x))
		}
		return after, nil
	}
	return f.run(ctx)
}

func followed(m message) (Followed, error) {
	var x Followed
	var err error
	switch m.event {
	case "transcript":
		err = json.Unmarshal(m.data, &x.Event)
	case "session":
		err = json.Unmarshal(m.data, &x.Session)
	}
	if err != nil {
		return x, fmt.Errorf("read event of stream: %w", err)
	}
	return x, nil
}

func seqOf(x Followed) int64 {
	if x.Event == nil {
		return 0
	}
	return x.Event.Seq
}
