package plug_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blaise.dev/blaise/plug"

	"golang.org/x/sync/errgroup"
)

// TestStackLeavesWhatIsShared: the last environment to go does not take the
// directory away in which another is just about to make its own.
func TestStackLeavesWhatIsShared(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	s, err := plug.NewStack([]plug.Spec{plug.NewSpec("box", "b", nil)}, plug.StackOptions{
		Session: "s1", StateDir: state, Host: host(t, t.TempDir()),
		New: func(plug.Spec) (plug.Plug, error) { return box{}, nil },
	})
	if err == nil {
		err = s.Open(t.Context())
	}
	if err == nil {
		err = s.Destroy(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Join(state, "environments"))
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestStackBesideOthers: sessions of one runner come and go in one state
// directory, and none is in another's way.
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
