package plugtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
)

// A Setup is one plug on one host, both fresh.
type Setup struct {
	Spec  plug.Spec
	Outer []plug.Spec // the layers it needs around it
	Host  plug.Env
	New   func(plug.Spec) (plug.Plug, error) // nil: plug.New
	// Break destroys the layer from outside. Nil: it cannot be.
	Break func(t *testing.T, env plug.Env)
	// Left answers what the plug left outside the state directory. Nil: nothing
	// to look for.
	Left func(t *testing.T) []string
	// Keeps says that files in the place outlive Destroy: they are the user's.
	Keeps bool
	// Secrets are values that the plug gives the agent.
	Secrets []string
}

// Run checks the plug that setup makes. Each check gets a setup of its own.
func Run(t *testing.T, setup func(t *testing.T) Setup) {
	for _, check := range []struct {
		name string
		run  func(*testing.T, Setup, *World)
	}{
		{"opens twice and keeps files", opensTwice},
		{"pauses twice and resumes three times with files there", pausesAndResumes},
		{"destroys what was never opened, and twice", destroysUnopened},
		{"destroys from another process, twice", destroysElsewhere},
		{"crash between intent and deed", crashesAtIntent},
		{"crash after an intent, after a save of state, and before the report", crashes},
		{"a cancelled open is cleaned up", cancelledOpen},
		{"gone from outside", goneFromOutside},
		{"forwards directory, environment and exit", forwards},
		{"signals reach the command", signals},
		{"kill ends the whole tree", killsTree},
		{"secrets are on no command line", hidesSecrets},
		{"links lead nowhere on the host", followsNoLinks},
		{"what was written inside can be removed", removesWhatWasWritten},
		{"installed things are there after a pause", keepsHome},
	} {
		t.Run(check.name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			check.run(t, s, s.world(t))
		})
	}
	t.Run("two sessions at once do not touch each other", func(t *testing.T) {
		t.Parallel()
		twoAtOnce(t, setup(t))
	})
}

func (s Setup) world(t *testing.T) *World {
	w := NewWorld(t, s.Host, append(slices.Clone(s.Outer), s.Spec)...)
	w.Options.New = s.New
	return w
}

// destroyed checks that Destroy works and nothing is left.
func (s Setup) destroyed(t *testing.T, w *World) {
	t.Helper()
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Fatalf("destroy: %v", err)
	}
	w.newGeneration()
	if left := w.Leftovers(); len(left) > 0 {
		t.Errorf("left in the state directory: %v", left)
	}
	if left := w.Ledger(); len(left) > 0 {
		t.Errorf("left in the ledger: %v", left)
	}
	if left := w.States(); len(left) > 0 {
		t.Errorf("left in the state that Blaise keeps: %v", left)
	}
	if s.Left == nil {
		return
	}
	if left := s.Left(t); len(left) > 0 {
		t.Errorf("left outside: %v", left)
	}
}

func opensTwice(t *testing.T, s Setup, w *World) {
	first := w.Open()
	Sh(t, first.Env(), "echo one >file-of-test")
	second := w.Open()
	if got := Sh(t, second.Env(), "cat file-of-test"); got != "one" {
		t.Errorf("file after second open: got %q, want %q", got, "one")
	}
	if a, b := first.Env().Place().Dir, second.Env().Place().Dir; a != b {
		t.Errorf("opened in %q, then in %q", a, b)
	}
	s.destroyed(t, w)
}

func pausesAndResumes(t *testing.T, s Setup, w *World) {
	for i := range 3 {
		stack := w.Open()
		got := Sh(t, stack.Env(), "cat count-of-test 2>/dev/null || true; echo >>count-of-test")
		if n := strings.Count(got, "\n"); i > 0 && n != i-1 {
			t.Errorf("cycle %d: found %d lines, want %d", i, n, i-1)
		}
		for range 2 {
			if _, err := stack.Save(t.Context()); err != nil {
				t.Fatalf("save: %v", err)
			}
			if err := stack.Pause(t.Context()); err != nil {
				t.Fatalf("pause: %v", err)
			}
		}
	}
	s.destroyed(t, w)
}

func destroysUnopened(t *testing.T, s Setup, w *World) {
	s.destroyed(t, w)
	s.destroyed(t, w)
}

func destroysElsewhere(t *testing.T, s Setup, w *World) {
	w.Open()
	s.destroyed(t, w)
	s.destroyed(t, w)
	unread := s.world(t)
	unread.Open()
	unread.Specs, unread.Options.Unreadable = nil, true
	s.destroyed(t, unread)
}

// crashesAtIntent lets each entry in the ledger fail in turn, as if the process
// ended there: nothing is left after Destroy, and the next Open takes over.
func crashesAtIntent(t *testing.T, s Setup, w *World) {
	for n := 1; n <= 8; n++ {
		w.FailIntend(n)
		err := w.Stack().Open(t.Context())
		w.FailIntend(0)
		if err == nil {
			break
		}
		var oe *plug.OpenError
		if !errors.As(err, &oe) || oe.Plug != s.Spec.ID {
			t.Fatalf("open: got %v, want an OpenError of %q", err, s.Spec.ID)
		}
		s.destroyed(t, w)
		w.FailIntend(n)
		_ = w.Stack().Open(t.Context())
		w.FailIntend(0)
		w.Open()
		s.destroyed(t, w)
	}
	s.destroyed(t, w)
}

func cancelledOpen(t *testing.T, s Setup, w *World) {
	for _, after := range []time.Duration{0, 5 * time.Millisecond, 20 * time.Millisecond, 60 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		stack := w.Stack()
		_ = stack.Open(ctx)
		cancel()
		if _, err := stack.Save(t.Context()); err != nil {
			t.Errorf("save half-open: %v", err)
		}
		if err := stack.Pause(t.Context()); err != nil {
			t.Errorf("pause half-open: %v", err)
		}
		w.Open()
		s.destroyed(t, w)
	}
}

func goneFromOutside(t *testing.T, s Setup, w *World) {
	if s.Break == nil {
		t.Skip("this layer cannot be broken from outside")
	}
	s.Break(t, w.Open().Env())
	stack := w.Stack()
	if err := stack.Open(t.Context()); !errors.Is(err, plug.ErrGone) {
		t.Errorf("open what is gone: got %v, want ErrGone", err)
	}
	if _, err := stack.Save(t.Context()); err != nil {
		t.Errorf("save what is gone: %v", err)
	}
	s.destroyed(t, w)
}

func forwards(t *testing.T, s Setup, w *World) {
	env := w.Open().Env()
	place := env.Place()
	if place.Dir == "" || place.Home == "" || place.Shim == "" || place.OS == "" || place.Arch == "" {
		t.Errorf("place has empty fields: %+v", place)
	}
	if got := Sh(t, env, "pwd -P"); got != place.Dir && !sameDir(got, place.Dir) {
		t.Errorf("works in %q, want %q", got, place.Dir)
	}
	if got := Sh(t, env, "echo $HOME"); got != place.Home {
		t.Errorf("HOME is %q, want %q", got, place.Home)
	}
	Sh(t, env, "mkdir -p sub-of-test")
	p, err := env.Start(t.Context(), plug.Cmd{
		Args: []string{"sh", "-c", `test "$A" = 'b c' && test "${PWD##*/}" = sub-of-test && exit 7`},
		Env:  []string{"A=b c"}, Dir: "sub-of-test",
	})
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := p.Wait(); err != nil || exit.Code != 7 {
		t.Errorf("exit: got %+v, %v, want code 7", exit, err)
	}
	if _, err := env.Start(t.Context(), plug.Cmd{Args: []string{"no-such-command"}}); !errors.Is(err, plug.ErrCommandNotFound) {
		t.Errorf("unknown command: got %v, want ErrCommandNotFound", err)
	}
	s.destroyed(t, w)
}

func sameDir(a, b string) bool {
	ra, err1 := filepath.EvalSymlinks(a)
	rb, err2 := filepath.EvalSymlinks(b)
	return err1 == nil && err2 == nil && ra == rb
}

func signals(t *testing.T, s Setup, w *World) {
	p, out := start(t, w.Open().Env(), `trap 'echo got; exit 3' TERM; echo ready; while :; do sleep 0.02; done`)
	out.wait(t, "ready")
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait()
	if err != nil || exit.Code != 3 {
		t.Errorf("exit: got %+v, %v, want code 3", exit, err)
	}
	out.wait(t, "got")
	s.destroyed(t, w)
}

func killsTree(t *testing.T, s Setup, w *World) {
	length := fmt.Sprintf("%d.%d", 300+rand.IntN(1e6), rand.IntN(1e6)) // no other sleep has it
	p, out := start(t, w.Open().Env(), `setsid sh -c 'trap "" TERM HUP; sleep `+length+` & echo slept; wait' & echo ready; wait`)
	out.wait(t, "ready")
	out.wait(t, "slept")
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if pid := sleeper(length); pid != "" {
		t.Errorf("pid %s, started with setsid, outlives Kill", pid)
	}
	if exit, err := p.Wait(); err != nil || exit.Signal == "" {
		t.Errorf("exit: got %+v, %v, want a signal", exit, err)
	}
	if err := p.Kill(); err != nil {
		t.Errorf("second kill: %v", err)
	}
	s.destroyed(t, w)
}

// sleeper is the process of this machine, in whatever layer, that sleeps so
// long: a number from inside would mean another one here.
func sleeper(length string) string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && string(b) == "sleep\x00"+length+"\x00" {
			return filepath.Base(filepath.Dir(f))
		}
	}
	return ""
}

func twoAtOnce(t *testing.T, s Setup) {
	if s.Keeps {
		t.Skip("sessions share this place")
	}
	worlds := make([]*World, 4)
	errs := make(chan error, len(worlds))
	for i := range worlds {
		worlds[i] = s.world(t)
		stack := worlds[i].Stack()
		go func() { errs <- stack.Open(t.Context()) }()
	}
	for range worlds {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	for i, w := range worlds {
		Sh(t, w.Open().Env(), "test ! -e who-of-test; echo "+strconv.Itoa(i)+" >who-of-test")
	}
	last := worlds[len(worlds)-1]
	for _, w := range worlds[:len(worlds)-1] {
		if err := w.Stack().Destroy(t.Context()); err != nil {
			t.Errorf("destroy: %v", err)
		}
	}
	if got := Sh(t, last.Open().Env(), "cat who-of-test"); got != strconv.Itoa(len(worlds)-1) {
		t.Errorf("file of the last session: got %q", got)
	}
	s.destroyed(t, last)
}
