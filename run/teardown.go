package run

import (
	"context"
	"errors"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
)

// teardown is a whole run of its kind: no agent, no conversation. It destroys
// the environment that an earlier run left (A17).
func (r *run) teardown(life context.Context) error {
	err := r.teardownStack()
	if err != nil {
		r.last(life, api.Report{Event: blaise.EventTeardownFailed, Reason: err.Error()})
		r.drain(life)
		return err
	}
	saved := r.rescue(life)
	if life.Err() != nil {
		return errors.Join(context.Cause(life), r.fence.Kill())
	}
	r.destroy(life, saved)
	r.drain(life)
	return nil
}

// teardownStack reads blaise.yml, or the last good one that Blaise kept, or goes
// by the specs that were recorded (A22).
func (r *run) teardownStack() error {
	cfg, err := config.Read(r.spec.Config)
	if err != nil {
		r.notice("blaise.yml cannot be read; the environment is torn down as it was recorded.",
			map[string]any{"reason": err.Error()})
		cfg, err = config.Parse("the blaise.yml that Blaise kept", r.lease.Config)
	}
	if err == nil {
		cfg, err = cfg.Fill(r.lease.Inputs)
	}
	r.stack, err = r.newStack(cfg, err != nil)
	if err != nil {
		r.stack, err = r.newStack(config.Config{Dir: cfg.Dir}, true) // the file no longer fits the environment
	}
	return err
}

// rescue saves work that the last run did not: the layers are opened again for
// it. One that is gone holds none, which is said and stops nothing; those around
// it are saved as they are.
func (r *run) rescue(life context.Context) error {
	if r.lease.Clean {
		return nil
	}
	err := r.open(life)
	switch {
	case errors.Is(err, plug.ErrGone):
		r.notice("Work of the last run could not be saved: its place is gone.",
			map[string]any{"reason": err.Error()})
	case err != nil && r.lease.Forced:
		r.notice("Work of the last run is not saved: "+err.Error(),
			map[string]any{"forced": r.lease.ForcedWhy})
	case err != nil:
		return fmt.Errorf("open the environment to save its work: %w", err)
	}
	return r.save(life)
}
