package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
)

// ShimsFile is where a run writes down, in its directory, the shims that it
// started: one JSON object a line. Who finds the run dead looks there whether
// all that it started is gone too.
const ShimsFile = "shims"

// newStack makes the stack of the environment as Blaise remembers it.
func (r *run) newStack(cfg config.Config, unreadable bool) (*plug.Stack, error) {
	shims, err := os.OpenFile(filepath.Join(r.spec.Dir, ShimsFile),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	r.shims = shims
	l := r.lease
	host := &plug.Local{
		Dir:     cfg.Base(r.spec.Config), // paths in blaise.yml are relative to it
		Program: r.spec.Program, Mark: r.spec.Mark(), Fence: r.fence, Started: r.wroteDown,
	}
	return plug.NewStack(cfg.Plugs, plug.StackOptions{
		Session: string(l.Session), Environment: string(l.Environment),
		Records: l.Opened, Unreadable: unreadable,
		Host: host, StateDir: r.spec.State, Machine: r.spec.Machine,
		Private: []string{r.spec.Config}, Repos: cfg.Runner.Repos,
		Save: l.NextSave, Restore: restore(l), Leaves: l.Ephemeral, Files: runFiles{r: r},
		State:  func(id string) plug.State { return plugState{r: r, id: id} },
		Record: r.recordPlug, Intend: r.intend, Forget: r.forget,
		Note: r.record.tell, Secret: func(s string) { r.secrets.Add(s) }, Log: r.log,
		Patience: l.Limits.Hook, Timed: r.layer,
	})
}

func restore(l api.Lease) blaise.SavedWork {
	if l.Restore {
		return l.Saved
	}
	return blaise.SavedWork{}
}

// wroteDown puts a shim on the list before the command under it can do much.
func (r *run) wroteDown(s plug.ShimRef) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = r.shims.Write(append(b, '\n'))
	return err
}

func (r *run) recordPlug(ctx context.Context, p blaise.PlugRecord) error {
	_, err := r.ask(ctx, api.Report{Event: blaise.EventPlugRecorded, Plugs: []blaise.PlugRecord{p}})
	return err
}

func (r *run) intend(ctx context.Context, what blaise.Resource) error {
	_, err := r.ask(ctx, api.Report{Event: blaise.EventResourceIntended, Resource: &what})
	return err
}

// forget tells Blaise in its time: what a probe found absent stays so, and a
// run that goes down must not wait for a Blaise that is away.
func (r *run) forget(_ context.Context, what blaise.Resource) error {
	what.Gone = true
	r.say(api.Report{Event: blaise.EventResourceGone, Resource: &what})
	return nil
}

// open opens the layers and lets the record pass their filters.
func (r *run) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, r.lease.Limits.Open,
		fmt.Errorf("not open within limits.open = %v", r.lease.Limits.Open))
	defer cancel()
	if err := r.stack.Open(ctx); err != nil {
		return err
	}
	r.record.through(r.stack.Filter)
	return nil
}

// keepConfig has Blaise keep the blaise.yml that the environment was opened
// with: a teardown must not depend on what becomes of the file.
func (r *run) keepConfig() {
	b, err := os.ReadFile(r.spec.Config)
	if err != nil || string(b) == string(r.lease.Config) {
		return // read a moment ago; the next run keeps it
	}
	r.say(api.Report{Event: api.EventConfigKept, Config: b})
}

// A plugState is the state of one plug, kept by Blaise.
type plugState struct {
	r  *run
	id string
}

const maxState = 64 << 10

// Load reads what was saved last, by this run or one before.
func (s plugState) Load(ctx context.Context, v any) (bool, error) {
	b, err := s.r.client.PlugState(ctx, s.id)
	if blaise.CodeOf(err) == blaise.CodeNotFound || err == nil && len(b) == 0 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("load state of plug %q: %w", s.id, err)
	}
	return true, json.Unmarshal(b, v)
}

// Save returns when Blaise has it.
func (s plugState) Save(ctx context.Context, v any) error {
	rep := api.Report{Event: api.EventStateSaved, Plug: s.id}
	if v != nil {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if len(b) > maxState {
			return errors.New("the state of a plug may have 64 KB at most")
		}
		rep.State = b
	}
	_, err := s.r.ask(ctx, rep)
	return err
}
