package control_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/store"
)

// TestDeleteRefuses: what may still run, hold something or be needed is not
// deleted, and the refusal says what to do first.
func TestDeleteRefuses(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	refused := func(id blaise.SessionID, why, hint string) {
		t.Helper()
		_, err := h.Delete(t.Context(), "ann", id, "", false)
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

// Saved work that Blaise alone may have is not deleted unless somebody says so,
// and by age only where that was said (X5).
func TestX5_DeleteAsksForWorkThatBlaiseAloneHas(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	keeps := func() blaise.SessionID {
		t.Helper()
		id := h.start("a plan")
		if err := h.act(blaise.EventEndAsked, id); err != nil {
			t.Fatal(err)
		}
		err := h.db.Tx(t.Context(), func(tx *store.Tx) error {
			return errors.Join(
				tx.KeepSave(id, blaise.SavedWork{N: 1, Ref: "refs/blaise/x/1", Repo: "/src", Files: 7}),
				tx.KeepSave(id, blaise.SavedWork{N: 2, Ref: "refs/blaise/x/2", Bundle: "sum", Files: 3}))
		})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	one, other := keeps(), keeps()
	_, err := h.Delete(t.Context(), "ann", one, "", false)
	if blaise.CodeOf(err) != blaise.CodeRefused || !strings.Contains(err.Error(), "1 save of its work, the last of 3 files") {
		t.Errorf("deleted with its work: %v", err)
	}
	if err := h.DeleteOld(t.Context(), time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	old, err := h.Settled(t.Context(), "1ns", "", 9)
	if err != nil || len(old) != 2 || old[0].Work != 1 {
		t.Fatalf("left by retention: %+v, %v", old, err)
	}
	gone, err := h.Delete(t.Context(), "ann", one, "", true)
	if err != nil || gone.Work != 1 {
		t.Errorf("%+v, %v", gone, err)
	}
	if err := h.DeleteOldWithWork(t.Context(), time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	why, err := h.Why(t.Context(), string(other))
	if err != nil || !strings.Contains(strings.Join(why, "\n"), "1 save of its work that Blaise kept went with it") {
		t.Errorf("why: %q, %v", why, err)
	}
}
