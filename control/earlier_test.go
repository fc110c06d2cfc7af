package control_test

import (
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// What a session left behind at a runner that is gone is cleared by a person's
// word, also when the session has long gone on in another environment (A19, A31).
func TestEarlierEnvironmentMarkedDestroyed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.paused()
	if err := h.RevokeRunner(t.Context(), "ann", h.runner.ID); err != nil {
		t.Fatal(err)
	}
	h.want(id, blaise.SessionPaused, blaise.EnvLost)
	if _, err := h.Post(t.Context(), "ann", id, control.Post{Text: "go on", Key: "k"}); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.runner, _, err = h.NewRunner(t.Context(), "test", "desktop", nil, false); err != nil {
		t.Fatal(err)
	}
	h.take(id)
	left := func() int {
		t.Helper()
		list, _, err := h.LeftBehind(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if v, err := h.View(t.Context(), id); err != nil || v.Environment.Generation != 2 || left() != 1 {
		t.Fatalf("environment %+v (%v), %d left behind", v.Environment, err, left())
	}
	err = h.Act(t.Context(), id, blaise.Event{Kind: blaise.EventMarkDestroyed, By: "ann"})
	if blaise.CodeOf(err) != blaise.CodeInvalid || left() != 1 {
		t.Errorf("without a reason: %v, %d left", err, left())
	}
	gone := blaise.Event{Kind: blaise.EventMarkDestroyed, By: "ann", Reason: "the machine is scrap"}
	if err := h.Act(t.Context(), id, gone); err != nil {
		t.Fatal(err)
	}
	v, err := h.View(t.Context(), id)
	if err != nil || left() != 0 || v.Older[0].State != blaise.EnvDestroyed || v.Older[0].DestroyWhy != gone.Reason {
		t.Errorf("earlier %+v (%v), %d left", v.Older, err, left())
	}
	if v.Session.State != blaise.SessionQueued || v.Environment.State == blaise.EnvDestroyed {
		t.Errorf("the session is %s, its environment %s", v.Session.State, v.Environment.State)
	}
	if err := h.Act(t.Context(), id, gone); blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("again: %v", err)
	}
}
