package plug

import (
	"context"
	"errors"
	"fmt"
	"os"

	"blaise.dev/blaise"
)

// Save brings home, outwards, the work that only the environment holds, and
// answers what was new. Every layer is tried; what failed is joined, and the
// answer still holds what was saved. It works without Open.
func (s *Stack) Save(ctx context.Context) ([]blaise.SavedWork, error) {
	var saved []blaise.SavedWork
	err := s.outwards("save", func(l *layer) error {
		saver, ok := l.plug.(Saver)
		if !ok || !l.touched() {
			return nil
		}
		outer := l.outer
		if outer == nil {
			outer = s.o.Host
		}
		ended := s.timed("save", l)
		w, err := saver.Save(ctx, s.scope(l), outer)
		ended(err)
		if errors.Is(err, ErrGone) { // it holds nothing, and stops nobody
			note(s.scope(l), "work of plug %q is not saved: %v", l.spec.ID, err)
			err = nil
		}
		if w.N > 0 {
			saved = append(saved, w)
			s.saves = w.N + 1
		}
		return err
	})
	return saved, err
}

// Pause pauses the layers outwards, as Save goes on past failures, and works
// without Open.
func (s *Stack) Pause(ctx context.Context) error {
	return s.outwards("pause", func(l *layer) error {
		p, ok := l.plug.(Pauser)
		if !ok || !l.touched() {
			return nil
		}
		ended := s.timed("pause", l)
		err := p.Pause(ctx, s.scope(l))
		ended(err)
		return err
	})
}

// Destroy destroys the layers outwards, all of them: whether one was opened may
// not have been recorded. It goes on past failures and works without Open. What
// a layer left in its state directory (a bundle of saved work) stays.
func (s *Stack) Destroy(ctx context.Context) error {
	err := s.outwards("destroy", func(l *layer) error {
		scope, ended := s.scope(l), s.timed("destroy", l)
		err := l.plug.Destroy(ctx, scope)
		ended(err)
		if err != nil {
			return err
		}
		l.record.Opened, l.tried = false, false
		_ = os.Remove(scope.Dir) // if empty
		return s.forgetRecord(l.spec.ID)
	})
	_ = os.Remove(s.envDir()) // if empty; what is above belongs to all environments
	s.env = s.o.Host
	return err
}

// touched reports whether the layer may hold anything: it was opened by some
// run, or Open was tried by this one.
func (l *layer) touched() bool { return l.tried || l.record.Opened }

func (s *Stack) outwards(verb string, do func(*layer) error) error {
	var errs []error
	for i := len(s.layers) - 1; i >= 0; i-- {
		l := s.layers[i]
		err := s.reachable(l)
		if err == nil {
			err = do(l)
		}
		if err != nil {
			errs = append(errs, &LayerError{Verb: verb, Plug: l.spec.ID, Use: l.spec.Use, Err: err})
		}
	}
	return errors.Join(errs...)
}

// reachable refuses what only another machine can do: a plug that looks here
// would find nothing and call that done.
func (s *Stack) reachable(l *layer) error {
	if s.elsewhere(l) && !l.reachesAll() {
		return fmt.Errorf("%w (%s)", ErrElsewhere, l.record.Machine)
	}
	return nil
}
