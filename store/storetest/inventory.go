package storetest

import (
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func testHolders(t *testing.T, db *store.DB) {
	states := map[blaise.EnvironmentState]blaise.EnvironmentID{}
	for _, state := range []blaise.EnvironmentState{
		blaise.EnvNone, blaise.EnvPaused, blaise.EnvOrphaned, blaise.EnvDestroyed,
	} {
		s := Full(id())
		s.Session.Runner, s.Environment.State = "holder", state
		s.Environment.Plugs[0].Unowned = false
		create(t, db, s)
		states[state] = s.Environment.ID
	}
	ids := func(all []store.Holder, err error) map[blaise.EnvironmentID]bool {
		t.Helper()
		ok(t, err)
		found := map[blaise.EnvironmentID]bool{}
		for _, h := range all {
			found[h.Environment.ID] = true
		}
		return found
	}
	equal(t, "may hold something", ids(db.HoldersOf(t.Context(), "holder")), map[blaise.EnvironmentID]bool{
		states[blaise.EnvPaused]: true, states[blaise.EnvOrphaned]: true,
	})
	equal(t, "left behind", ids(db.LeftBehind(t.Context())), map[blaise.EnvironmentID]bool{states[blaise.EnvOrphaned]: true})

	// A record that nothing owns is left behind, whatever becomes of the rest (A32).
	gone, err := db.Holder(t.Context(), states[blaise.EnvDestroyed])
	ok(t, err)
	change(t, db, gone.Session.ID, func(p *blaise.Plan) { p.Next.Environment.Plugs[0].Unowned = true })
	if !ids(db.LeftBehind(t.Context()))[gone.Environment.ID] {
		t.Error("a record that nothing owns is not left behind")
	}
	if _, err := db.Holder(t.Context(), "nobody"); blaise.CodeOf(err) != blaise.CodeNotFound {
		t.Errorf("got %v", err)
	}
}

func testPaused(t *testing.T, db *store.DB) {
	var want []blaise.EnvironmentID
	for _, state := range []blaise.EnvironmentState{blaise.EnvPaused, blaise.EnvOpen, blaise.EnvPaused} {
		s := Full(id())
		s.Environment.State = state
		s.Environment.Plugs[0].Unowned = false
		s.Clocks = []blaise.Clock{{
			Kind: blaise.ClockMaxPaused, Since: start.Add(-time.Duration(len(want)) * time.Hour), DueAt: start.Add(time.Hour),
		}}
		create(t, db, s)
		if state == blaise.EnvPaused {
			want = append(want, s.Environment.ID)
		}
	}
	all, err := db.Paused(t.Context(), 9)
	ok(t, err)
	if len(all) != 2 || all[0].Environment.ID != want[1] || all[1].Environment.ID != want[0] ||
		!all[1].Since.Equal(start) || !all[1].DueAt.Equal(start.Add(time.Hour)) {
		t.Errorf("got %+v, want %v, the longest first", all, want)
	}
}

func testInventories(t *testing.T, db *store.DB) {
	for _, body := range []string{`{"n":1}`, `{"n":2}`} {
		ok(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.PutInventory("i1", "r1", []byte(body)) }))
	}
	all, err := db.Inventories(t.Context())
	ok(t, err)
	if len(all) != 1 || string(all[0]) != `{"n":2}` {
		t.Errorf("got %s", all)
	}
}
