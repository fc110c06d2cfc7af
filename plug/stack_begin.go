package plug

import (
	"errors"
	"fmt"
)

// A beginner is a plug that can begin with saved work (Scope.Restore), and says
// by Scope.Restored whether it does.
type beginner interface {
	Plug
	begins()
}

// Leave has what is saved from now on sent to Blaise: no other run comes to
// this machine.
func (s *Stack) Leave() { s.o.Leaves = true }

// restored hears of a layer whether it begins with the saved work.
func (s *Stack) restored(lack error) {
	s.begun = s.begun || lack == nil
	s.lack = errors.Join(s.lack, lack)
}

// mayBegin refuses a stack of which no layer can begin with the saved work.
func (s *Stack) mayBegin() error {
	if s.o.Restore.N == 0 || s.beginner(0) {
		return nil
	}
	return fmt.Errorf("%w: no plug of blaise.yml can begin with the saved work, %s: give it a worktree again, "+
		"then: blaise retry %s", ErrRefused, s.o.Restore.Ref, s.o.Session)
}

// without refuses to go on when layer i was the last that could have begun with
// the saved work and none has (X5): who answers without it answers wrong.
func (s *Stack) without(i int) error {
	if s.lack == nil || s.begun || s.beginner(i+1) {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrRefused, s.lack)
}

// beginner reports whether one of the layers from i on can begin with saved
// work.
func (s *Stack) beginner(i int) bool {
	for _, l := range s.layers[i:] {
		if _, ok := l.plug.(beginner); ok && !l.removed {
			return true
		}
	}
	return false
}
