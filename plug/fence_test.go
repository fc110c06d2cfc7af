package plug_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// X2: a run that slept past its fence starts nothing before its lease is
// confirmed; another run may be at work in the same place.
func TestPastTheFence(t *testing.T) {
	t.Parallel()
	t.Run("nothing is started", func(t *testing.T) {
		t.Parallel()
		l := host(t, t.TempDir())
		l.Fence = &plug.Fence{}
		l.Fence.Renew(plug.Boottime() - time.Millisecond)
		lost := errors.New("the lease is lost")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(100*time.Millisecond, func() { cancel(lost) })
		mark := filepath.Join(l.Dir, "mark")
		_, err := l.Start(ctx, plug.Cmd{Args: []string{"touch", mark}})
		if _, there := os.Stat(mark); !errors.Is(err, lost) || there == nil {
			t.Errorf("got %v, the file: %v", err, there)
		}
	})
	t.Run("it goes on when the lease holds", func(t *testing.T) {
		t.Parallel()
		l := host(t, "/")
		l.Fence = &plug.Fence{}
		l.Fence.Renew(plug.Boottime() - time.Millisecond)
		time.AfterFunc(100*time.Millisecond, func() { l.Fence.Renew(plug.Boottime() + time.Hour) })
		if got := plugtest.Sh(t, l, "echo on"); got != "on" {
			t.Errorf("got %q", got)
		}
	})
}
