package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	Environment blaise.EnvironmentID `json:"environment"` // "": mirrors, which are of none
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
	if r.Environment == "" {
		return p.reapMirrors(ctx, r.Things)
	}
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

// stacks are the plugs that made what is left: as a blaise.yml has them, else as
// they were written down when they made it.
func (p Premises) stacks(r *Reaped) ([]*plug.Stack, error) {
	left, err := p.left(r)
	if err != nil {
		return nil, err
	}
	recorded, err := plug.RecordedOf(p.StateDir, r.Environment)
	if err != nil {
		return nil, err
	}
	id, err := p.machine()
	if err != nil {
		return nil, err
	}
	for _, one := range recorded {
		left[one.ID] = true
	}
	all, unread, err := p.configured(r, id, left, recorded)
	if err != nil {
		return nil, err
	}
	recorded = slices.DeleteFunc(recorded, func(one plug.Recorded) bool { return !left[one.ID] })
	if len(recorded) > 0 {
		o := p.options(r, id, recorded[0].Base)
		o.Unreadable = true // the records count
		for _, one := range recorded {
			o.Records = append(o.Records, one.Record(id))
			delete(left, one.ID)
		}
		s, err := plug.NewStack(nil, o)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	if len(left) > 0 {
		return nil, errors.Join(unread, fmt.Errorf("plug %s made it, and is neither in a blaise.yml nor written down here: "+
			"put it back, or remove by hand what is listed", strings.Join(slices.Sorted(maps.Keys(left)), ", ")))
	}
	return all, nil
}

// left are the ids of the plugs of which something is left.
func (p Premises) left(r *Reaped) (map[string]bool, error) {
	left := map[string]bool{}
	for _, t := range r.Things {
		left[t.Plug] = true
	}
	dirs, err := os.ReadDir(filepath.Join(p.StateDir, environments, string(r.Environment)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range dirs {
		if d.IsDir() {
			left[d.Name()] = true
		}
	}
	delete(left, "")
	return left, nil
}

// configured are the stacks of each blaise.yml that has one of the plugs, which
// are left no more. Of one that wants inputs, which are not known here, what is
// written down is better. unread is why a file could not be read.
func (p Premises) configured(
	r *Reaped, id blaise.MachineID, left map[string]bool, recorded []plug.Recorded,
) (all []*plug.Stack, unread, err error) {
	for _, file := range p.Configs {
		cfg, err := config.Read(file)
		if err != nil {
			unread = errors.Join(unread, err)
			continue
		}
		concerned := slices.ContainsFunc(cfg.Plugs, func(s plug.Spec) bool { return left[s.ID] })
		if !concerned || len(cfg.Inputs()) > 0 && covers(recorded, cfg.Plugs, left) {
			continue
		}
		o := p.options(r, id, cfg.Base(file))
		for _, s := range cfg.Plugs {
			o.Records = append(o.Records, recordOf(s, recorded, id))
			delete(left, s.ID)
		}
		s, err := plug.NewStack(cfg.Plugs, o)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	return all, unread, nil
}

// covers says that all of the plugs that are left are written down.
func covers(recorded []plug.Recorded, specs []plug.Spec, left map[string]bool) bool {
	return !slices.ContainsFunc(specs, func(s plug.Spec) bool {
		return left[s.ID] && !slices.ContainsFunc(recorded, func(one plug.Recorded) bool { return one.ID == s.ID })
	})
}

// recordOf is what is written down of the plug, or what would be.
func recordOf(s plug.Spec, recorded []plug.Recorded, id blaise.MachineID) blaise.PlugRecord {
	i := slices.IndexFunc(recorded, func(one plug.Recorded) bool { return one.ID == s.ID })
	if i < 0 {
		return plug.Recorded{ID: s.ID, Use: s.Use, Spec: s.Bytes()}.Record(id)
	}
	return recorded[i].Record(id)
}

// options are those of a stack without Blaise.
func (p Premises) options(r *Reaped, id blaise.MachineID, base string) plug.StackOptions {
	return plug.StackOptions{
		Session: string(r.Environment.Session()), Environment: string(r.Environment),
		StateDir: p.StateDir, Machine: id, Host: &plug.Local{Dir: base},
		Note: func(e transcript.Event) {
			var said struct{ Text string }
			if json.Unmarshal(e.Data, &said) == nil && said.Text != "" {
				r.Notes = append(r.Notes, said.Text)
			}
		},
	}
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
