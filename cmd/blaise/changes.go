package main

import (
	"context"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/dashboard"
)

// changes is what `blaise diff` shows, for the page of a Blaise whose runner is
// in the same process.
func (p *plane) changes(ctx context.Context, s api.Session) (dashboard.Changes, error) {
	token, _, err := p.admin(ctx)
	if err != nil {
		return dashboard.Changes{}, err
	}
	d, err := restoreOptions{}.diff(ctx, p.client(token), s, true)
	c := dashboard.Changes{From: d.From, Patch: d.Patch}
	for _, f := range d.Files {
		c.Files = append(c.Files, dashboard.ChangedFile{Path: f.Path, Added: f.Added, Deleted: f.Deleted})
	}
	return c, err
}
