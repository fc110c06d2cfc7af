package control_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
)

// TestDeleteRefuses: what may still run, hold something or be needed is not
// deleted, and the refusal says what to do first.
func TestDeleteRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	refused := func(id blaise.SessionID, why, hint string) {
		t.Helper()
		_, err := h.Delete(t.Context(), "ann", id, "")
		if blaise.CodeOf(err) != blaise.CodeRefused || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), hint) {
			t.Errorf("error = %v, want %q and %q", err, why, hint)
		}
	}
	id := h.start("hello")
	refused(id, "it has not ended", "blaise end "+string(id))
	run := h.take(id)
	h.answer(run, id.Message(1))
	h.report(run, blaise.Event{Kind: blaise.EventSignalled})
	h.want(id, blaise.SessionEnded, blaise.EnvTearingDown)
	refused(id, "environment "+string(id)+" is tearing_down", "blaise why "+string(id))
}

// TestRetention deletes what ended longer ago than is kept, and nothing else.
func TestRetention(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	old, open := h.start("a plan"), h.start("another")
	if err := h.act(blaise.EventEndAsked, old); err != nil {
		t.Fatal(err)
	}
	if err := h.DeleteOld(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	h.want(old, blaise.SessionEnded, blaise.EnvNone)
	if err := h.DeleteOld(t.Context(), time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	h.want(open, blaise.SessionQueued, blaise.EnvNone)
	why, err := h.Why(t.Context(), string(old))
	if err != nil || !strings.Contains(why[0], "by "+control.AuthorRetention) {
		t.Errorf("why: %q, %v", why, err)
	}
}
