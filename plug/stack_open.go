package plug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// Open opens the layers inwards. At the first failure it stops with an
// *OpenError; what is open or half-open then is saved, paused and destroyed as
// ever. The end of ctx cancels it.
func (s *Stack) Open(ctx context.Context) error {
	s.env = s.o.Host
	if err := s.mayBegin(); err != nil {
		return err
	}
	for i, l := range s.layers {
		if l.removed {
			continue
		}
		env, err := s.openLayer(ctx, l)
		if err == nil {
			s.env, l.env = env, env
			err = s.without(i)
		}
		if err != nil {
			return &OpenError{Plug: l.spec.ID, Use: l.spec.Use, Err: err}
		}
	}
	if l, file, dir := s.writable(); l != nil {
		return &OpenError{Plug: l.spec.ID, Use: l.spec.Use, Err: fmt.Errorf(
			"%w: it would run %s on this machine, and the agent can write it: move it out of %s, "+
				"or give the agent a place of its own (worktree)", ErrRefused, file, dir)}
	}
	return nil
}

func (s *Stack) openLayer(ctx context.Context, l *layer) (Env, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if err := s.reachable(l); err != nil {
		return nil, err
	}
	elsewhere, madeOn := s.elsewhere(l), l.record.Machine
	l.describe(s.o.Machine)
	if err := s.tell(ctx, l); err != nil {
		return nil, err
	}
	scope := s.scope(l)
	if err := makeDir(scope.Dir); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	if err := s.writeRecord(l); err != nil {
		return nil, err
	}
	l.tried, l.outer = true, s.env
	ended := s.timed("open", l)
	env, err := l.plug.Open(ctx, scope, s.env)
	ended(err)
	if errors.Is(err, ErrGone) && elsewhere {
		err = fmt.Errorf("%w (%s)", ErrElsewhere, madeOn)
	}
	if Asked(err) && !errors.Is(err, ErrRefused) {
		err = fmt.Errorf("%w: %w", errAsked, err) // whoever asked can bring it, or end what has it
	}
	if err != nil {
		return nil, err
	}
	if env == nil {
		return nil, errors.New("the plug made no place (a bug of the plug)")
	}
	l.record.Opened = true
	if err := s.tell(ctx, l); err != nil {
		return nil, err
	}
	if !l.record.Resumable {
		s.o.Log.Warn("plug cannot be resumed", "plug", l.spec.ID, "use", l.spec.Use, "why", l.record.Why)
	}
	return env, nil
}

func (s *Stack) timed(verb string, l *layer) (ended func(error)) {
	return s.o.Timed(verb, l.spec.ID, l.spec.Use)
}

// tell records the layer, unless Blaise has it so already: a round trip each.
func (s *Stack) tell(ctx context.Context, l *layer) error {
	if l.told != nil && reflect.DeepEqual(*l.told, l.record) {
		return nil
	}
	if err := s.o.Record(ctx, l.record); err != nil {
		return fmt.Errorf("record plug: %w", err)
	}
	told := l.record
	l.told = &told
	return nil
}

// elsewhere reports whether the layer was made on another machine.
func (s *Stack) elsewhere(l *layer) bool {
	made := l.record.Machine
	return l.record.Opened && made != "" && s.o.Machine != "" && made != s.o.Machine
}

func (l *layer) reachesAll() bool {
	r, ok := l.plug.(Reacher)
	return ok && r.Reach() == blaise.ReachShared
}

// describe brings the record up to date with the spec.
func (l *layer) describe(machine blaise.MachineID) {
	l.record.Spec = l.spec.Bytes()
	l.record.Machine = machine
	l.record.Unowned = false
	l.record.Resumable, l.record.Why, l.record.Reach = true, "", blaise.ReachHost
	if t, ok := l.plug.(Transient); ok {
		l.record.Why = t.Transient()
		l.record.Resumable = l.record.Why == ""
	}
	if r, ok := l.plug.(Reacher); ok {
		l.record.Reach = r.Reach()
	}
}

// scope is what the layer's plug gets to know.
func (s *Stack) scope(l *layer) Scope {
	return Scope{
		Session: s.o.Session, Environment: s.o.Environment, ID: l.spec.ID, Machine: s.o.Machine,
		Opened: l.record.Opened, Alone: l.alone,
		Save: s.saves, Restore: s.o.Restore, Leaves: s.o.Leaves, Files: s.o.Files, Restored: s.restored,
		Dir:     filepath.Join(s.envDir(), l.spec.ID),
		Mirrors: mirrorsDir(s.o.StateDir), Repos: s.o.Repos,
		Private: append([]string{s.o.StateDir}, s.o.Private...),
		Host:    s.o.Host, State: layerState{State: s.state(l.spec.ID), stack: s, layer: l},
		Intend: func(ctx context.Context, r blaise.Resource) error {
			r.Plug = l.spec.ID
			return s.o.Intend(ctx, r)
		},
		Forget: func(ctx context.Context, r blaise.Resource) error {
			r.Plug = l.spec.ID
			return s.o.Forget(ctx, r)
		},
		Note: s.o.Note, Secret: s.o.Secret, Patience: s.o.Patience,
	}
}

// envDir holds what the plugs of the environment keep on this machine.
func (s *Stack) envDir() string {
	return environmentDir(s.o.StateDir, s.o.Environment)
}

func (s *Stack) state(id string) State {
	if s.o.State == nil {
		return recordedState{stack: s, id: id}
	}
	return s.o.State(id)
}

// Env is the place the agent lives in: the innermost that is open, the host
// before that.
func (s *Stack) Env() Env { return s.env }

// OwnPrograms reports whether the innermost place has programs of its own, and
// not this machine's: then the shim is one that was brought there.
func (s *Stack) OwnPrograms() bool { return s.env.Place().Shim != s.o.Host.Place().Shim }

// Filter puts the stack's filters before next. The innermost plug sees an event
// first: what added a secret removes it before anybody else sees it.
func (s *Stack) Filter(next transcript.Sink) transcript.Sink {
	for _, l := range s.layers {
		if f, ok := l.plug.(Filter); ok && !l.removed {
			next = f.Filter(s.scope(l), next)
		}
	}
	return next
}

// Resumable are the records of all the environment's plugs, outermost first,
// those that no blaise.yml owns any more last.
func (s *Stack) Resumable() []blaise.PlugRecord {
	var records []blaise.PlugRecord
	for _, l := range s.layers {
		if l.record.Spec == nil {
			l.describe(s.o.Machine)
		}
		records = append(records, l.record)
	}
	return append(records, s.unowned...)
}

// makeDir is MkdirAll beside the daemon, which clears away an environment's
// directory as soon as it is empty: it may go between two of its steps.
func makeDir(dir string) error {
	var err error
	for range 100 {
		if err = os.MkdirAll(dir, 0o700); !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return err
}
