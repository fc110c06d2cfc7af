package plug

import (
	"context"
	"fmt"

	"blaise.dev/blaise"
)

// Look is Diff of the tree as it is now, brought home from where the agent works.
func (s *Stack) Look(ctx context.Context) (blaise.Diff, error) {
	for i := len(s.layers) - 1; i >= 0; i-- {
		l := s.layers[i]
		b, ok := l.plug.(Bringer)
		if !ok || !l.touched() {
			continue
		}
		if err := b.Bring(ctx, s.scope(l)); err != nil {
			return blaise.Diff{}, fmt.Errorf("bring home what is in plug %q (%s): %w", l.spec.ID, l.spec.Use, err)
		}
	}
	return s.Diff(ctx, nil)
}

// Diff says what was changed in the working tree nearest to the agent since the
// environment was made: as it is, or as one of saved has it, if that is not
// empty. ErrGone: no layer holds a tree. It may be called beside every other
// method but Open and Destroy.
func (s *Stack) Diff(ctx context.Context, saved []blaise.SavedWork) (blaise.Diff, error) {
	for i := len(s.layers) - 1; i >= 0; i-- {
		l := s.layers[i]
		differ, ok := l.plug.(Differ)
		if !ok || !l.touched() {
			continue
		}
		if err := s.reachable(l); err != nil {
			return blaise.Diff{}, err
		}
		var last blaise.SavedWork
		if len(saved) > 0 {
			last = saved[len(saved)-1]
		}
		return differ.Diff(ctx, s.scope(l), last)
	}
	return blaise.Diff{}, ErrGone
}
