package dashboard

import (
	"net/http"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// An accountPage is who one is, with one's tokens for scripts; Secret is that
// of the one just made.
type accountPage struct {
	User   control.User
	Tokens []api.PersonalToken
	Secret string
	Made   string
	Form   control.Personal // as it was filled in
}

// Scopes are what a token may be given by this user, the least first.
func (p accountPage) Scopes() []string {
	var list []string
	for _, r := range []control.Role{control.RoleViewer, control.RoleMember, control.RoleAdmin} {
		if p.User.Role.Allows(r) {
			list = append(list, control.ScopeOf(r))
		}
	}
	return list
}

func (d *dashboard) account(w http.ResponseWriter, r *http.Request) {
	d.accountWith(w, r, nil, accountPage{})
}

func (d *dashboard) accountWith(w http.ResponseWriter, r *http.Request, err error, p accountPage) {
	f, status := (*failure)(nil), http.StatusOK
	if err != nil {
		f = d.failureOf(r, err)
		status = f.Status
	}
	p.User = d.o.User(r)
	if p.Tokens, err = d.views.PersonalTokens(r.Context(), p.User.Name); err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, status, "account", page{Title: "Account", Nav: "account", Error: f, Body: p})
}

func (d *dashboard) newToken(w http.ResponseWriter, r *http.Request) {
	form := control.Personal{
		Label: r.PostFormValue("name"), Scope: r.PostFormValue("scope"), Life: r.PostFormValue("expires"),
	}
	t, secret, err := d.control.NewPersonal(r.Context(), d.o.User(r), form)
	if err != nil {
		d.accountWith(w, r, err, accountPage{Form: form})
		return
	}
	d.accountWith(w, r, nil, accountPage{Secret: secret, Made: t.Label})
}

func (d *dashboard) revokeToken(w http.ResponseWriter, r *http.Request) {
	d.changed(w, r, "/account", d.control.RevokePersonal(r.Context(), d.o.User(r).Name, r.PostFormValue("token")))
}

func (d *dashboard) signOut(w http.ResponseWriter, r *http.Request) {
	u := d.o.User(r)
	d.changed(w, r, "/", d.control.SignOut(r.Context(), u, u.Name))
}
