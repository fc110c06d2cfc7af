package plug_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

func TestLocalStart(t *testing.T) {
	t.Parallel()
	t.Run("stdin and both outputs in one writer", func(t *testing.T) {
		var out bytes.Buffer
		p, err := host(t, "/").Start(t.Context(), plug.Cmd{
			Args:  []string{"sh", "-c", "cat; echo err >&2; echo out"},
			Stdin: strings.NewReader("in\n"), Stdout: &out, Stderr: &out,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(); err != nil || out.String() != "in\nerr\nout\n" {
			t.Errorf("got %q, %v", &out, err)
		}
	})
	t.Run("a reader that never ends does not hold Wait", func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		p, err := host(t, "/").Start(t.Context(), plug.Cmd{Args: []string{"true"}, Stdin: r})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Run("what is Blaise's own is not passed on", func(t *testing.T) {
		l := host(t, "/")
		l.Env = []string{"PATH=" + os.Getenv("PATH"), "BLAISE_TOKEN=x", "GIT_DIR=/x", "OTEL_EXPORTER_OTLP_HEADERS=x", "KEPT=1"}
		if got := plugtest.Sh(t, l, "echo $BLAISE_TOKEN$GIT_DIR$OTEL_EXPORTER_OTLP_HEADERS$KEPT"); got != "1" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a shim that cannot be written down does not live", func(t *testing.T) {
		l := host(t, "/")
		var ref plug.ShimRef
		l.Started = func(r plug.ShimRef) error { ref = r; return errors.New("disk full") }
		if _, err := l.Start(t.Context(), plug.Cmd{Args: []string{"sleep", "300"}}); err == nil {
			t.Fatal("want an error")
		}
		if ref.PID == 0 || ref.Alive() {
			t.Errorf("%+v lives", ref)
		}
	})
}

// X2: a fence that passes ends what runs; one that is renewed does not.
func TestFence(t *testing.T) {
	t.Parallel()
	l := host(t, "/")
	l.Fence.Renew(plug.Boottime() + time.Hour)
	first, err := l.Start(t.Context(), plug.Cmd{Args: []string{"sleep", "300"}})
	if err != nil {
		t.Fatal(err)
	}
	if live := l.Fence.Live(); len(live) != 1 || !live[0].Alive() {
		t.Errorf("live: %+v", live)
	}
	l.Fence.Renew(plug.Boottime() + 2*time.Second) // longer than a start takes
	second, err := l.Start(t.Context(), plug.Cmd{Args: []string{"sleep", "300"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []plug.Process{first, second} {
		if exit, err := p.Wait(); err != nil || exit.Signal != "SIGKILL" {
			t.Errorf("got %+v, %v", exit, err)
		}
	}
	l.Fence.Renew(0)
	third, err := l.Start(t.Context(), plug.Cmd{Args: []string{"sleep", "300"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Fence.Kill(); err != nil {
		t.Fatal(err)
	}
	if exit, err := third.Wait(); err != nil || exit.Signal == "" {
		t.Errorf("got %+v, %v", exit, err)
	}
	for range 100 {
		if len(l.Fence.Live()) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("live: %+v", l.Fence.Live())
}
