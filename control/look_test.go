package control_test

import (
	"testing"
	"time"

	"blaise.dev/blaise"
)

// A run that looks at what it changed is not asked again by everybody who comes
// meanwhile; a while later it is.
func TestARunIsAskedToLookOnceInAWhile(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h := newHouseAt(t, manifest, func() time.Time { return now })
	id := h.start("hello")
	run := h.take(id)
	h.report(run, blaise.Event{Kind: blaise.EventOpened, Plugs: worktree})
	asked := func() (n int) {
		t.Helper()
		for range 3 {
			if l, err := h.Diff(t.Context(), "bob", id, time.Time{}, time.Millisecond); err != nil || !l.Asked {
				t.Fatalf("%+v, %v", l, err)
			}
			ds, _, err := h.Directives(t.Context(), run, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range ds {
				if d.Kind != blaise.DirectiveDiff {
					continue
				}
				n++
				if _, err := h.Received(t.Context(), run, d.N); err != nil {
					t.Fatal(err)
				}
			}
		}
		return n
	}
	if n := asked(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	now = now.Add(4 * time.Second)
	if n := asked(); n != 1 {
		t.Errorf("asked %d times a while later", n)
	}
}
