package daemon

import (
	"context"
	"errors"
	"time"

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
		if m.Kept != "" {
			if err := plug.ClearMirror(ctx, m.Name); err != nil && ctx.Err() == nil {
				d.log.Warn("mirror not cleared", "mirror", m.Name, "error", err)
			}
			continue
		}
		if err := plug.RemoveMirror(ctx, p.StateDir, m.Name, p.keepMirrors()); err != nil {
			d.log.Warn("mirror not removed", "mirror", m.Name, "error", err)
			continue
		}
		d.log.Info("mirror removed: nobody has fetched it for long", "mirror", m.Name, "unused", p.keepMirrors())
	}
}
