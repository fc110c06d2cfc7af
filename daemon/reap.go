package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/internal/shim"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/transcript"
)

// A Reaped says what became of the rest of one environment.
type Reaped struct {
	Environment blaise.EnvironmentID `json:"environment"`
	Things      []api.Thing          `json:"things"`
	Saved       []blaise.SavedWork   `json:"saved,omitempty"`
	Notes       []string             `json:"notes,omitempty"`
	Error       string               `json:"error,omitempty"` // why it is still there, "" if it is gone
}

// Orphans groups the orphaned things of an inventory by their environment.
func Orphans(v api.Inventory) []Reaped {
	groups := map[blaise.EnvironmentID]*Reaped{}
	for _, t := range v.Things {
		if t.Class != api.ClassOrphaned {
			continue
		}
		if groups[t.Environment] == nil {
			groups[t.Environment] = &Reaped{Environment: t.Environment}
		}
		groups[t.Environment].Things = append(groups[t.Environment].Things, t)
	}
	var all []Reaped
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		all = append(all, *groups[id])
	}
	return all
}

// Reap removes what is left of an environment: its processes, then its layers,
// by the plugs that made them, after the work in them was saved (X5). If that
// fails it stays, unless a person gives a reason to discard the work.
func (p Premises) Reap(ctx context.Context, r Reaped, discard string) Reaped {
	if err := p.reap(ctx, &r, discard); err != nil {
		r.Error = err.Error()
	}
	return r
}

func (p Premises) reap(ctx context.Context, r *Reaped, discard string) error {
	for _, t := range r.Things {
		if t.Kind != kindProcess {
			continue
		}
		if left := shim.KillMarked(t.Name, 10*time.Second); left > 0 {
			return fmt.Errorf("%d processes of %s do not end", left, t.Name)
		}
	}
	stacks, err := p.stacks(r)
	if err != nil {
		return err
	}
	for _, s := range stacks {
		if err := rescue(ctx, s, r); err != nil && discard == "" {
			return fmt.Errorf("the work is not saved, so nothing is removed: %w", err)
		}
		if err := s.Destroy(ctx); err != nil {
			return err
		}
	}
	return p.verify(ctx, r)
}

// rescue saves what the layers hold; one that is gone holds nothing.
func rescue(ctx context.Context, s *plug.Stack, r *Reaped) error {
	err := s.Open(ctx)
	if errors.Is(err, plug.ErrGone) {
		r.Notes, err = append(r.Notes, err.Error()), nil
	}
	saved, saveErr := s.Save(ctx)
	r.Saved = append(r.Saved, saved...)
	return errors.Join(err, saveErr)
}

// stacks are those of each blaise.yml that has a plug of which something is
// left.
func (p Premises) stacks(r *Reaped) (all []*plug.Stack, err error) {
	left := map[string]bool{}
	for _, t := range r.Things {
		left[t.Plug] = true
	}
	dirs, _ := os.ReadDir(filepath.Join(p.StateDir, environments, string(r.Environment)))
	for _, d := range dirs {
		left[d.Name()] = true
	}
	delete(left, "")
	for _, file := range p.Configs {
		cfg, err := config.Read(file)
		if err != nil {
			return nil, err
		}
		concerned := slices.ContainsFunc(cfg.Plugs, func(s plug.Spec) bool { return left[s.ID] })
		if !concerned {
			continue
		}
		for _, s := range cfg.Plugs {
			delete(left, s.ID)
		}
		s, err := p.stack(file, cfg.Plugs, r)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("plug %s made it and is in no blaise.yml any more: put it back, or remove by hand what is listed",
			strings.Join(slices.Sorted(maps.Keys(left)), ", "))
	}
	return all, nil
}

func (p Premises) stack(file string, specs []plug.Spec, r *Reaped) (*plug.Stack, error) {
	id, err := p.machine()
	if err != nil {
		return nil, err
	}
	var records []blaise.PlugRecord
	for _, s := range specs {
		records = append(records, blaise.PlugRecord{ID: s.ID, Use: s.Use, Spec: s.Bytes(), Opened: true, Machine: id})
	}
	return plug.NewStack(specs, plug.StackOptions{
		Session: string(sessionOf(r.Environment)), Environment: string(r.Environment),
		Records: records, StateDir: p.StateDir, Machine: id,
		Host: &plug.Local{Dir: filepath.Dir(file)},
		Note: func(e transcript.Event) {
			var said struct{ Text string }
			if json.Unmarshal(e.Data, &said) == nil && said.Text != "" {
				r.Notes = append(r.Notes, said.Text)
			}
		},
	})
}

// verify looks whether all of it is gone.
func (p Premises) verify(ctx context.Context, r *Reaped) error {
	left, _ := p.look(ctx) // what cannot be seen now was not listed before
	for _, x := range left {
		if x.Environment != r.Environment || x.Kept != "" {
			continue
		}
		if slices.ContainsFunc(r.Things, func(t api.Thing) bool { return keyOf(t.Resource) == keyOf(x) }) {
			return fmt.Errorf("%s %s is still there", x.Kind, x.Name)
		}
	}
	return nil
}
