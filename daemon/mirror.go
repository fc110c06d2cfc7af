package daemon

import (
	"context"
	"errors"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
)

// keepMirrors is how long a mirror stays that nobody fetches, the longest that a
// blaise.yml says; 0, for ever, if one says so or cannot be read.
func (p Premises) keepMirrors() (keep time.Duration) {
	for _, file := range p.Configs {
		cfg, err := config.Read(file)
		if err != nil || cfg.Runner.MirrorDays == 0 {
			return 0
		}
		keep = max(keep, time.Duration(cfg.Runner.MirrorDays)*24*time.Hour)
	}
	return keep
}

// mayFetch are the patterns of all that runs here may fetch.
func (p Premises) mayFetch() (patterns []string) {
	for _, file := range p.Configs {
		if cfg, err := config.Read(file); err == nil {
			patterns = append(patterns, cfg.Runner.Repos...)
		}
	}
	return patterns
}

// reapMirrors removes mirrors, unless there is a reason to keep them by now.
func (p Premises) reapMirrors(ctx context.Context, things []api.Thing) (err error) {
	for _, t := range things {
		if t.Kind == plug.ResourceMirror {
			err = errors.Join(err, plug.RemoveMirror(ctx, p.StateDir, t.Name, p.keepMirrors()))
		}
	}
	return err
}

// dropMirrors removes those that nobody has fetched for as long as is kept, and
// what killed fetches left in the others.
func (d *Daemon) dropMirrors(ctx context.Context) {
	p := d.premises()
	found, err := plug.Mirrors(ctx, p.StateDir, p.keepMirrors())
	if err != nil && ctx.Err() == nil {
		d.log.Warn("mirrors not looked at", "error", err)
	}
	for _, m := range found {
		if m.Kind != plug.ResourceMirror {
			continue
		}
		if err := d.tidyMirror(ctx, p, m); err != nil && ctx.Err() == nil {
			d.log.Warn("mirror not tidied", "mirror", m.Name, "error", err)
		}
	}
}

// tidyMirror removes a mirror if it is time, and what it holds of saved work is
// with Blaise.
func (d *Daemon) tidyMirror(ctx context.Context, p Premises, m blaise.Resource) error {
	keep := p.keepMirrors()
	if err := plug.ClearMirror(ctx, m.Name); err != nil {
		return err
	}
	if m.Kept != "" {
		if time.Now().Before(d.rests[m.Name].until) {
			return nil
		}
		if err := plug.EmptyMirror(ctx, p.StateDir, m.Name, keep, p.mayFetch(), haven{d.blaise()}); err != nil {
			d.rests[m.Name] = d.rests[m.Name].next(time.Now())
			return err
		}
		delete(d.rests, m.Name)
	}
	removed, err := plug.RemoveUnused(ctx, p.StateDir, m.Name, keep)
	if removed {
		d.log.Info("mirror removed: nobody has fetched it for long", "mirror", m.Name, "unused", keep)
	}
	return err
}

// A haven is Blaise, which takes saved work in.
type haven struct{ c *api.Client }

func (h haven) Saves(ctx context.Context, id blaise.SessionID) ([]blaise.SavedWork, bool, error) {
	known, err := h.c.KnownSaves(ctx, id)
	return known.Saves, known.Deleted, err
}

func (h haven) Keep(ctx context.Context, id blaise.SessionID, save blaise.SavedWork, file string) error {
	return h.c.PutSave(ctx, id, save, file)
}
