package control_test

import (
	"errors"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// A runner brings saved work that it will not have for long, of its own sessions
// alone and as it was told of; Blaise then counts as the one who has it (X5).
func TestX5_RunnerBringsSavedWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.start("a plan")
	h.take(id)
	mine := store.Runner{Name: "laptop"}
	err := h.db.Tx(t.Context(), func(tx *store.Tx) error {
		s, err := tx.Snapshot(id)
		if err != nil {
			return err
		}
		mine.ID = s.Session.Runner
		return tx.KeepSave(id, blaise.SavedWork{N: 1, Ref: "refs/blaise/x/1", Repo: "/mirror", Commit: "c1"})
	})
	if err != nil {
		t.Fatal(err)
	}
	put := func(r store.Runner, commit string) error {
		return h.KeepSave(t.Context(), r, 1, commit, store.Blob{Session: id, Name: "b"}, strings.NewReader("a bundle"))
	}
	if err := put(store.Runner{ID: "other"}, "c1"); blaise.CodeOf(err) != blaise.CodeDenied {
		t.Errorf("another's: %v", err)
	}
	if err := put(mine, "c2"); blaise.CodeOf(err) != blaise.CodeRefused {
		t.Errorf("of another commit: %v", err)
	}
	for range 2 {
		if err := put(mine, "c1"); err != nil {
			t.Fatal(err)
		}
	}
	saves, deleted, err := h.KnownSaves(t.Context(), mine, id)
	if err != nil || deleted || len(blaise.OnlyHere(saves)) != 1 {
		t.Errorf("known: %+v, %v, %v", saves, deleted, err)
	}
	if _, _, err := h.OpenFile(t.Context(), id, saves[0].Bundle); err != nil {
		t.Errorf("the bundle: %v", err)
	}
	if _, _, err := h.KnownSaves(t.Context(), mine, "nowhere1"); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("of no session: %v", err)
	}
	gone := h.start("another")
	if err := h.act(blaise.EventEndAsked, gone); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Delete(t.Context(), "ann", gone, "", false); err != nil {
		t.Fatal(err)
	}
	if _, deleted, err := h.KnownSaves(t.Context(), mine, gone); !deleted || err != nil {
		t.Errorf("of a deleted one: %v, %v", deleted, err)
	}
}

// Who made a save brings it, though the session went on elsewhere; so does who
// took the place of a revoked runner on its machine (X5).
func TestX5_SavedWorkIsWhoseMachineItIsOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t, manifest)
	id := h.start("a plan")
	h.take(id)
	var maker store.Runner
	elsewhere, next := store.Runner{ID: "elsewhere", Name: "e"}, store.Runner{ID: "next", Name: "n"}
	knows := func(r store.Runner, want bool) {
		t.Helper()
		_, _, err := h.KnownSaves(t.Context(), r, id)
		if want != (err == nil) || err != nil && blaise.CodeOf(err) != blaise.CodeDenied {
			t.Errorf("%s: %v, may know: %v", r.Name, err, want)
		}
	}
	err := h.db.Tx(t.Context(), func(tx *store.Tx) error {
		s, err := tx.Snapshot(id)
		if err == nil {
			maker, err = tx.Runner(s.Session.Runner)
		}
		if err != nil {
			return err
		}
		machine := s.Session.Machine
		return errors.Join(
			tx.PutInstance(store.Instance{ID: "n1", Runner: next.ID, Machine: machine}),
			tx.PutInstance(store.Instance{ID: "e1", Runner: elsewhere.ID, Machine: "another"}))
	})
	if err != nil {
		t.Fatal(err)
	}
	knows(maker, true)
	knows(elsewhere, false)
	knows(next, false)
	err = h.db.Tx(t.Context(), func(tx *store.Tx) error {
		maker.Revoked = true
		return tx.PutRunner(maker)
	})
	if err != nil {
		t.Fatal(err)
	}
	knows(next, true)
	knows(elsewhere, false)
}
