package storetest

import (
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func testAgents(t *testing.T, db *store.DB) {
	a := store.Agent{
		Name: "demo", Spec: []byte(`{"kind":"Agent"}`), Policy: blaise.DefaultPolicy(),
		Requirements: map[string]string{"os": "linux"}, State: store.AgentEnabled, Revision: 1,
		By: "ada", At: start,
	}
	second := a
	second.Revision, second.Spec = 2, []byte(`{}`)
	put := func(a store.Agent) {
		do(t, db, func(tx *store.Tx) error { return tx.PutAgent(a) })
	}
	put(a)
	put(second)
	second.State = store.AgentDisabled
	put(second)
	got, err := db.Agent(t.Context(), "demo")
	ok(t, err)
	equal(t, "agent", got, second)
	all, err := db.Agents(t.Context())
	ok(t, err)
	equal(t, "agents", all, []store.Agent{second})
	revisions, err := db.AgentRevisions(t.Context(), "demo")
	ok(t, err)
	equal(t, "revisions", revisions, []store.Agent{second, a})
	do(t, db, func(tx *store.Tx) error {
		got, err := tx.Agent("demo")
		equal(t, "agent in a transaction", got, second)
		_, missing := tx.Agent("none")
		code(t, missing, blaise.CodeNotFound)
		return err
	})
}

func testRunners(t *testing.T, db *store.DB) {
	r := store.Runner{ID: "r1", Name: "one", Labels: map[string]string{"a": "b"}, SingleUse: true,
		TokenHash: hash("r1"), CreatedAt: start, By: "ada"}
	i := store.Instance{ID: "i1", Runner: "r1", Boot: "b", Machine: "m", Host: "h", Version: "v",
		OS: "linux", Arch: "arm64", Slots: 4, Labels: map[string]string{"a": "b"},
		Agents: []string{"demo"}, Draining: true, LastSeen: start, PausedWhy: "disk is full"}
	do(t, db, func(tx *store.Tx) error {
		ok(t, tx.PutRunner(r))
		ok(t, tx.PutRunner(store.Runner{ID: "r2", TokenHash: hash("r2"), CreatedAt: start.Add(1)}))
		ok(t, tx.PutInstance(store.Instance{ID: "i0", Runner: "r2"}))
		return tx.PutInstance(i)
	})
	r.Revoked, r.RevokedAt = true, start.Add(time.Hour)
	do(t, db, func(tx *store.Tx) error { return tx.PutRunner(r) })
	got, err := db.RunnerByToken(t.Context(), hash("r1"))
	ok(t, err)
	equal(t, "runner by token", got, r)
	was := got
	got.Old, got.TokenHash = &store.OldToken{Hash: hash("r1"), Until: start, By: "ada", At: start}, hash("r1b")
	ok(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.PutRunner(got) }))
	for _, token := range []string{"r1", "r1b"} {
		same, err := db.RunnerByToken(t.Context(), hash(token))
		ok(t, err)
		equal(t, "runner by its old and its new token", same, got)
	}
	ok(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.PutRunner(was) }))
	_, err = db.RunnerByToken(t.Context(), hash("r3"))
	code(t, err, blaise.CodeNotFound)
	got, err = db.Runner(t.Context(), "r1")
	ok(t, err)
	equal(t, "runner", got, r)
	all, err := db.Runners(t.Context())
	ok(t, err)
	equal(t, "runners", len(all), 2)
	of, err := db.InstancesOf(t.Context(), "r1")
	ok(t, err)
	equal(t, "instances of a runner", of, []store.Instance{i})
	instances, err := db.Instances(t.Context())
	ok(t, err)
	equal(t, "instances", len(instances), 2)
	do(t, db, func(tx *store.Tx) error {
		got, err := tx.Instance("i1")
		equal(t, "instance", got, i)
		_, missing := tx.Runner("none")
		code(t, missing, blaise.CodeNotFound)
		return err
	})
}

func testLoginCode(t *testing.T, db *store.DB) {
	do(t, db, func(tx *store.Tx) error {
		ok(t, tx.PutLoginCode(hash("code"), time.Now().Add(time.Hour), store.LoginCode{Name: "ada", Scope: "viewer"}))
		return tx.PutLoginCode(hash("stale"), time.Now().Add(-time.Hour), store.LoginCode{Name: "eve"})
	})
	taken := make(chan bool, callers)
	together(func(int) {
		check(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			c, took, err := tx.TakeLoginCode(hash("code"))
			taken <- took
			if took {
				equal(t, "the code", c, store.LoginCode{Name: "ada", Scope: "viewer"})
			}
			_, stale, _ := tx.TakeLoginCode(hash("stale"))
			equal(t, "an expired code works", stale, false)
			return err
		}))
	})
	n := 0
	for range callers {
		if <-taken {
			n++
		}
	}
	equal(t, "times the code worked", n, 1)
}
