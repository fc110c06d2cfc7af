package plug_test

import (
	"fmt"
	"testing"

	"blaise.dev/blaise/plug"

	"golang.org/x/sync/errgroup"
)

// TestStackBesideOthers: sessions of one runner come and go in one state
// directory; the last to leave clears what they share, and the next finds
// nothing of that in its way.
func TestStackBesideOthers(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	home := host(t, t.TempDir())
	var g errgroup.Group
	for n := range 8 {
		g.Go(func() error {
			for i := range 200 {
				s, err := plug.NewStack([]plug.Spec{plug.NewSpec("box", "b", nil)}, plug.StackOptions{
					Session: fmt.Sprintf("s%d-%d", n, i), StateDir: state, Host: home,
					New: func(plug.Spec) (plug.Plug, error) { return box{}, nil },
				})
				if err != nil {
					return err
				}
				if err := s.Open(t.Context()); err != nil {
					return err
				}
				if err := s.Destroy(t.Context()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
