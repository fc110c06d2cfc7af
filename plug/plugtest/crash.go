package plugtest

import (
	"runtime"
	"testing"
)

// stepLocked ends the goroutine of a run that is to crash after the step. It is
// called with mu held, which the end gives back.
func (w *World) stepLocked(step, plug string) {
	if w.crash != nil && w.isInner(plug) {
		w.crash(step)
	}
}

// isInner says that the step is of the innermost plug: those around it have
// their own tests.
func (w *World) isInner(plug string) bool { return plug == w.Specs[len(w.Specs)-1].ID }

// CrashAt opens a stack in a run that ends after the nth step of a kind of the
// innermost plug, as if it were killed there: "intent" (in the ledger, not made), "state"
// (saved by the plug) or "deed" (made, not reported). It answers whether the
// run came so far.
func (w *World) CrashAt(step string, n int) (crashed bool) {
	w.mu.Lock()
	w.crash = func(at string) {
		if at != step {
			return
		}
		if n--; n == 0 {
			crashed = true
			runtime.Goexit()
		}
	}
	w.mu.Unlock()
	ended := make(chan struct{})
	stack := w.Stack()
	go func() {
		defer close(ended)
		_ = stack.Open(w.t.Context()) // its error is the crash's
	}()
	<-ended
	w.mu.Lock()
	defer w.mu.Unlock()
	w.crash = nil
	return crashed
}

// crashes lets a run end after each of its steps: Destroy leaves nothing of it,
// and the next Open takes over.
func crashes(t *testing.T, s Setup, w *World) {
	for _, step := range []string{"intent", "state", "deed"} {
		for n := 1; n <= 8; n++ {
			if !w.CrashAt(step, n) {
				s.destroyed(t, w)
				break
			}
			s.destroyed(t, w)
			w.CrashAt(step, n)
			w.Open()
			s.destroyed(t, w)
		}
	}
}
