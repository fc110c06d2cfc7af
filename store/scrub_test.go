package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
	"blaise.dev/blaise/store/storetest"
)

// Of a session that was deleted no byte of what was said is left in any file of
// the directory: neither in free pages, nor where an earlier version of a row
// was, nor in the logs of writes.
func TestScrub(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, "sqlite:"+dir, store.Options{})
	const marker = "a-plan-that-nobody-may-read"
	s := storetest.Full("scrubbed")
	s.Session.State, s.Session.Title = blaise.SessionEnded, marker
	s.Messages[0].Text = strings.Repeat(marker+" ", 2000) // over many pages
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.CreateSession(s) }))
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error { // a shorter version leaves pages free
		before, err := tx.Snapshot(s.Session.ID)
		if err != nil {
			return err
		}
		plan := blaise.Plan{Next: before}
		plan.Next.Messages = append([]blaise.Message{}, before.Messages...)
		plan.Next.Messages[0].Text = marker
		return tx.Write(before, plan)
	}))
	_, err := db.PutBlob(t.Context(), store.Blob{Session: s.Session.ID, Name: "plan"},
		strings.NewReader(strings.Repeat(marker, 100_000)))
	must(t, err)
	if len(holding(t, dir, marker)) < 2 {
		t.Fatalf("the marker is in %v alone: there is nothing to look for", holding(t, dir, marker))
	}
	must(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Delete(s.Session.Deletion("ada", "asked to", time.Now(), nil))
	}))
	must(t, db.Clear(t.Context(), s.Session.ID))
	must(t, db.Scrub(t.Context()))
	if left := holding(t, dir, marker); len(left) > 0 {
		t.Errorf("what was said can be read in %v", left)
	}
}

// holding names the files in which the bytes of text are.
func holding(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		if bytes.Contains(b, []byte(text)) {
			names = append(names, filepath.Base(f))
		}
	}
	return names
}
