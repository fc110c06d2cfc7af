package storetest

import (
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

func testAudit(t *testing.T, db *store.DB) {
	add := func(by string, kind blaise.AuditKind) {
		t.Helper()
		ok(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Audit(blaise.Audit{At: start, By: by, Kind: kind, Thing: "x", Outcome: blaise.AuditDone})
		}))
	}
	add("ada", blaise.AuditUserAdded)
	add("bob", blaise.AuditTokenCreated)
	add("ada", blaise.AuditTokenCreated)
	list := func(f store.AuditFilter) (said []string) {
		t.Helper()
		f.Limit = 2
		all, err := db.Audits(t.Context(), f)
		ok(t, err)
		for _, a := range all {
			said = append(said, a.By+" "+string(a.Kind))
		}
		return said
	}
	equal(t, "the latest", list(store.AuditFilter{}), []string{"ada token.created", "bob token.created"})
	first, err := db.Audits(t.Context(), store.AuditFilter{Limit: 2})
	ok(t, err)
	equal(t, "those before", list(store.AuditFilter{Before: first[1].N}), []string{"ada user.added"})
	equal(t, "of a person", list(store.AuditFilter{By: "ada"}), []string{"ada token.created", "ada user.added"})
	equal(t, "of a kind and a person", list(store.AuditFilter{By: "bob", Kind: blaise.AuditTokenCreated}),
		[]string{"bob token.created"})
	equal(t, "none", list(store.AuditFilter{By: "eve"}), []string(nil))
}
