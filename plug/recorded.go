package plug

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blaise.dev/blaise"
)

// A Recorded is what a stack writes down of a plug, beside the plug's directory
// on the machine: all that it takes to destroy what the plug made where Blaise
// does not know of it any more.
type Recorded struct {
	ID    string          `json:"id"`
	Use   string          `json:"use"`
	Order int             `json:"order"`           // 0 is outermost
	Base  string          `json:"base"`            // what its relative paths are relative to
	Spec  []byte          `json:"spec"`            // as resolved
	State json.RawMessage `json:"state,omitempty"` // as Blaise keeps it
}

// recordedExt follows the id of a plug, which has no dot. What follows it in a
// name was being written when the run was killed.
const recordedExt = ".json"

// RecordedOf answers what is written down of an environment below a runner's
// state directory, the outermost plug first.
func RecordedOf(stateDir string, id blaise.EnvironmentID) ([]Recorded, error) {
	dir := environmentDir(stateDir, string(id))
	files, err := fs.Glob(os.DirFS(dir), "*"+recordedExt)
	var all []Recorded
	for _, file := range files {
		r, readErr := readDown[Recorded](dir, file)
		if err = errors.Join(err, readErr); r != nil {
			all = append(all, *r)
		}
	}
	slices.SortFunc(all, func(a, b Recorded) int { return a.Order - b.Order })
	return all, err
}

// Tidy removes what runs left of an environment on this machine if it holds
// nothing: plugs' directories are empty or of what was never made, and no plug
// has a state.
func Tidy(ctx context.Context, stateDir string, id blaise.EnvironmentID) {
	dir := environmentDir(stateDir, string(id))
	entries, _ := os.ReadDir(dir)
	var records []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.Contains(e.Name(), recordedExt):
			records = append(records, path)
		case e.IsDir() && Unmade(ctx, path):
			_ = os.RemoveAll(path)
		case e.IsDir():
			_ = os.Remove(path) // only if it is empty
		}
	}
	left, _ := os.ReadDir(dir)
	recorded, err := RecordedOf(stateDir, id)
	holds := slices.ContainsFunc(recorded, func(r Recorded) bool { return r.State != nil })
	if len(left) > len(records) || holds || err != nil {
		return
	}
	for _, path := range records {
		_ = os.Remove(path)
	}
	_ = os.Remove(dir)
}

func environmentDir(stateDir, id string) string { return filepath.Join(stateDir, environmentsName, id) }

// environmentsName is where environments keep what is theirs, below the state.
const environmentsName = "environments"

// Record is the plug as Blaise would record it.
func (r Recorded) Record(machine blaise.MachineID) blaise.PlugRecord {
	return blaise.PlugRecord{ID: r.ID, Use: r.Use, Spec: r.Spec, Opened: true, HasState: r.State != nil, Machine: machine}
}

// Holds is what the plug's state says that it made, false if that is found by
// other means.
func (r Recorded) Holds() (blaise.Resource, bool) {
	var key struct{ Key string }
	if json.Unmarshal(r.State, &key) != nil || key.Key == "" {
		return blaise.Resource{}, false
	}
	var held blaise.Resource
	switch r.Use {
	case "exec":
		held = (&memory{Key: key.Key}).resource(Scope{ID: r.ID})
	case "sandbox":
		held = (&remote{state: remoteState{Key: key.Key}}).resource()
	}
	held.Plug = r.ID
	return held, held.Kind != ""
}

// writeRecord writes the layer down, before it is opened. What it has as state
// stays. One that other machines can destroy is not written down on each.
func (s *Stack) writeRecord(l *layer) error {
	if l.record.Reach == blaise.ReachShared {
		return s.forgetRecord(l.spec.ID)
	}
	return s.rewrite(l.spec.ID, func(r *Recorded) {
		r.ID, r.Use, r.Spec = l.spec.ID, l.spec.Use, l.spec.Bytes()
		r.Order, r.Base = s.index(l.spec.ID), s.o.Host.Place().Dir
	})
}

func (s *Stack) rewrite(id string, change func(*Recorded)) error {
	dir, name := s.envDir(), id+recordedExt
	was, err := readDown[Recorded](dir, name)
	if err != nil || was == nil {
		was = &Recorded{} // one that cannot be read is of no use
	}
	is := *was
	change(&is)
	if is.Order == was.Order && is.Base == was.Base && bytes.Equal(is.Spec, was.Spec) && bytes.Equal(is.State, was.State) {
		return nil
	}
	return writeDown(dir, name, is)
}

// forgetRecord is for a plug that was destroyed.
func (s *Stack) forgetRecord(id string) error {
	names, err := fs.Glob(os.DirFS(s.envDir()), id+recordedExt+"*")
	for _, name := range names {
		err = errors.Join(err, os.Remove(filepath.Join(s.envDir(), name)))
	}
	return err
}

// A layerState writes down what its plug keeps, and notices for the record that
// it does.
type layerState struct {
	State
	stack *Stack
	layer *layer
}

func (st layerState) Save(ctx context.Context, v any) error {
	if err := st.State.Save(ctx, v); err != nil {
		return err
	}
	st.layer.record.HasState = v != nil
	if st.layer.record.Reach == blaise.ReachShared {
		return nil
	}
	return st.stack.rewrite(st.layer.spec.ID, func(r *Recorded) {
		if r.State = nil; v != nil {
			r.State, _ = json.Marshal(v) // it could just be saved
		}
	})
}

// recordedState is the State of a stack without Blaise: what is written down.
type recordedState struct {
	stack *Stack
	id    string
}

func (st recordedState) Load(_ context.Context, v any) (bool, error) {
	r, err := readDown[Recorded](st.stack.envDir(), st.id+recordedExt)
	if err != nil || r == nil || r.State == nil {
		return false, err
	}
	if err := json.Unmarshal(r.State, v); err != nil {
		return false, fmt.Errorf("read state of plug %q: %w", st.id, err)
	}
	return true, nil
}

// Save leaves it to layerState.
func (recordedState) Save(context.Context, any) error { return nil }
