package storetest

import (
	"reflect"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// testStatus: what an agent says of its session replaces what it said before.
func testStatus(t *testing.T, db *store.DB) {
	snap := New("aaaaaaaa")
	create(t, db, snap)
	var told blaise.AgentStatus
	fill(reflect.ValueOf(&told).Elem(), new(int))
	for _, s := range []blaise.AgentStatus{{ContextUsed: 1}, told} {
		if err := db.Tx(t.Context(), func(tx *store.Tx) error { return tx.KeepStatus("aaaaaaaa", s) }); err != nil {
			t.Fatal(err)
		}
	}
	v, err := db.View(t.Context(), "aaaaaaaa")
	if err != nil || !reflect.DeepEqual(v.Status, told) {
		t.Errorf("got %+v, %v, want %+v", v.Status, err, told)
	}
	err = db.Tx(t.Context(), func(tx *store.Tx) error {
		got, err := tx.Status("bbbbbbbb")
		if err == nil && !reflect.DeepEqual(got, blaise.AgentStatus{}) {
			t.Errorf("a session that is told nothing of has %+v", got)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
