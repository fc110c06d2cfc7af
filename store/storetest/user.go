package storetest

import (
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func testTokens(t *testing.T, db *store.DB) {
	u := store.UserToken{Hash: hash("u"), ID: "1", Name: "ada", Label: "ci", Personal: true, Scope: "viewer", By: "bob"}
	u.CreatedAt = time.Now().UTC().Round(0)
	past := time.Now().Add(-time.Hour).UTC().Round(0)
	old := store.UserToken{Hash: hash("old"), Name: "ada", ExpiresAt: past}
	do(t, db, func(tx *store.Tx) error {
		ok(t, tx.PutUserToken(old))
		ok(t, tx.PutUserToken(store.UserToken{Hash: hash("eve"), Name: "eve"}))
		return tx.PutUserToken(u)
	})
	got, err := db.UserByToken(t.Context(), hash("u"))
	ok(t, err)
	equal(t, "token", got, u)
	_, err = db.UserByToken(t.Context(), hash("old"))
	code(t, err, blaise.CodeNotFound)
	all, err := db.UserTokens(t.Context(), "ada")
	ok(t, err)
	equal(t, "tokens of ada", all, []store.UserToken{old, u})
	do(t, db, func(tx *store.Tx) error { return tx.ForgetExpired() })
	all, err = db.UserTokens(t.Context(), "ada")
	ok(t, err)
	equal(t, "tokens that have not expired", all, []store.UserToken{u})
	do(t, db, func(tx *store.Tx) error { return tx.DeleteUserToken(hash("u")) })
	_, err = db.UserByToken(t.Context(), hash("u"))
	code(t, err, blaise.CodeNotFound)
}

func testUsers(t *testing.T, db *store.DB) {
	now := time.Now().UTC().Round(0)
	ada := store.User{Name: "ada", Role: "admin", Admin: true, By: "setup", At: now, CreatedAt: now}
	bob := store.User{Name: "bob", Role: "viewer", Subject: "https://id 1", By: "ada", At: now, CreatedAt: now}
	do(t, db, func(tx *store.Tx) error {
		ok(t, tx.PutUser(bob))
		ok(t, tx.PutUserToken(store.UserToken{Hash: hash("b"), Name: "bob"}))
		ok(t, tx.PutUserToken(store.UserToken{Hash: hash("a"), Name: "ada"}))
		return tx.PutUser(ada)
	})
	all, err := db.Users(t.Context())
	ok(t, err)
	equal(t, "users", all, []store.User{ada, bob})
	do(t, db, func(tx *store.Tx) error {
		got, found, err := tx.UserBySubject("https://id 1")
		equal(t, "found by subject", found, true)
		equal(t, "by subject", got, bob)
		_, none, _ := tx.UserBySubject("https://id 2")
		equal(t, "another subject is found", none, false)
		admins, _ := tx.Admins()
		equal(t, "admins", admins, []store.User{ada})
		return err
	})
	err = db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.PutUser(store.User{Name: "eve", Subject: "https://id 1"})
	})
	if err == nil {
		t.Error("two users have one subject")
	}
	do(t, db, func(tx *store.Tx) error { return tx.DeleteUser("bob") })
	_, found, err := db.User(t.Context(), "bob")
	ok(t, err)
	equal(t, "a removed user is there", found, false)
	_, found, err = db.User(t.Context(), "b\x00b\xff")
	ok(t, err)
	equal(t, "a user of a name that no column holds is there", found, false)
	_, err = db.UserByToken(t.Context(), hash("b"))
	code(t, err, blaise.CodeNotFound)
	_, err = db.UserByToken(t.Context(), hash("a"))
	ok(t, err)
}
