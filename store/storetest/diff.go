package storetest

import (
	"reflect"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// testDiff: what a run tells of its changes replaces what was told before.
func testDiff(t *testing.T, db *store.DB) {
	sid := id()
	_, known, err := db.Diff(t.Context(), sid)
	ok(t, err)
	equal(t, "known", known, false)
	var told blaise.Diff
	fill(reflect.ValueOf(&told).Elem(), new(int))
	for _, d := range []blaise.Diff{{Error: "first"}, told} {
		ok(t, db.KeepDiff(t.Context(), sid, d))
	}
	got, known, err := db.Diff(t.Context(), sid)
	ok(t, err)
	equal(t, "known", known, true)
	equal(t, "diff", got, told)
	ok(t, db.DeleteBlobs(t.Context(), sid))
	_, known, err = db.Diff(t.Context(), sid)
	ok(t, err)
	equal(t, "known", known, false)
}
