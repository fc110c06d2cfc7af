package control

import (
	"context"
	"reflect"
	"sync"
	"time"
)

// Look is one turn of the sweeper.
func (c *Control) Look(ctx context.Context) time.Duration { return c.sweep.look(ctx) }

// PostDue is one turn of the postman, to its end.
func (c *Control) PostDue(ctx context.Context) error {
	var rounds sync.WaitGroup
	defer rounds.Wait()
	_, err := c.post.look(ctx, &rounds)
	return err
}

// ManifestKeys are the paths of all keys that a manifest may have.
func ManifestKeys() [][]string { return paths(nil, reflect.TypeFor[manifestDoc]()) }

func paths(to []string, t reflect.Type) [][]string {
	keys, types := keysOf(t)
	var all [][]string
	for i, k := range keys {
		at := append(to[:len(to):len(to)], k)
		all = append(all, at)
		if types[i].Kind() == reflect.Struct {
			all = append(all, paths(at, types[i])...)
		}
	}
	return all
}

// DeleteOld is one look of a retention that keeps sessions for so long.
func (c *Control) DeleteOld(ctx context.Context, keep time.Duration) error {
	return retention{c: c, keep: keep}.look(ctx)
}

// DeleteOldWithWork is one that gives up work that Blaise alone may have.
func (c *Control) DeleteOldWithWork(ctx context.Context, keep time.Duration) error {
	return retention{c: c, keep: keep, drop: true}.look(ctx)
}

// Shown is how many runs are known to have been shown to somebody.
func (c *Control) Shown() int {
	c.waiting.mu.Lock()
	defer c.waiting.mu.Unlock()
	return len(c.waiting.to)
}

// LookAtCrowd is one look at who waits.
func (c *Control) LookAtCrowd(ctx context.Context) (bool, error) { return c.crowd.look(ctx) }
