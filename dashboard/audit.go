package dashboard

import (
	"net/http"
	"net/url"
	"strconv"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// An auditPage lists who did what to Blaise itself.
type auditPage struct {
	api.AuditFilter
	api.Audits
	Kinds []blaise.AuditKind
}

// Older is the address of the next page.
func (p auditPage) Older() string {
	return "/audit?" + url.Values{
		"by": {p.By}, "kind": {string(p.Kind)}, "before": {strconv.FormatInt(p.Next, 10)},
	}.Encode()
}

func (d *dashboard) audit(w http.ResponseWriter, r *http.Request) {
	before, _ := strconv.ParseInt(r.FormValue("before"), 10, 64) // what is no number begins at the latest
	p := auditPage{Kinds: blaise.AuditKinds(), AuditFilter: api.AuditFilter{
		By: r.FormValue("by"), Kind: blaise.AuditKind(r.FormValue("kind")), Before: before,
	}}
	var err error
	if p.Audits, err = d.views.Audits(r.Context(), p.AuditFilter); err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, http.StatusOK, "audit", page{Title: "Audit", Nav: "audit", Body: p})
}
