package plug

import (
	"context"

	"blaise.dev/blaise"
)

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
