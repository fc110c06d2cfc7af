package dashboard

import (
	"net/http"

	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/server"
)

// A peoplePage lists the users; Link signs in the one it is For, once.
type peoplePage struct {
	Users []api.User
	Link  string
	For   string
	Name  string // as it was filled in
}

// Roles are what a user may be given, the least first.
func (peoplePage) Roles() []control.Role {
	return []control.Role{control.RoleViewer, control.RoleMember, control.RoleAdmin}
}

func (d *dashboard) people(w http.ResponseWriter, r *http.Request) {
	d.peopleWith(w, r, nil, peoplePage{})
}

func (d *dashboard) peopleWith(w http.ResponseWriter, r *http.Request, err error, p peoplePage) {
	f, status := (*failure)(nil), http.StatusOK
	if err != nil {
		f = d.failureOf(r, err)
		status = f.Status
	}
	if p.Users, err = d.views.Users(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	d.show(w, r, status, "people", page{Title: "People", Nav: "people", Error: f, Body: p})
}

func (d *dashboard) addUser(w http.ResponseWriter, r *http.Request) {
	name := r.PostFormValue("name")
	role, err := control.ParseRole(r.PostFormValue("role"))
	var code string
	if err == nil {
		err = d.o.User(r).MayLetIn()
	}
	if err == nil {
		code, err = d.control.AddUser(r.Context(), d.o.User(r).Name, name, role)
	}
	d.handOn(w, r, name, code, err)
}

func (d *dashboard) invite(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	err := d.o.User(r).MayLetIn()
	var code string
	if err == nil {
		code, err = d.control.Invite(r.Context(), d.o.User(r).Name, name)
	}
	d.handOn(w, r, name, code, err)
}

// Here says that the link is good on the machine of Blaise alone.
func (p peoplePage) Here() bool { return server.LeadsHere(p.Link) }

// handOn shows the link of another user, this once.
func (d *dashboard) handOn(w http.ResponseWriter, r *http.Request, name, code string, err error) {
	if err != nil {
		d.peopleWith(w, r, err, peoplePage{Name: name})
		return
	}
	d.peopleWith(w, r, nil, peoplePage{Link: server.LoginURL(d.o.URL, code), For: name})
}

func (d *dashboard) setRole(w http.ResponseWriter, r *http.Request) {
	role, err := control.ParseRole(r.PostFormValue("role"))
	if err == nil {
		err = d.control.SetRole(r.Context(), d.o.User(r).Name, r.PathValue("name"), role)
	}
	d.changed(w, r, "/people", err)
}

func (d *dashboard) signOutUser(w http.ResponseWriter, r *http.Request) {
	d.changed(w, r, "/people", d.control.SignOut(r.Context(), d.o.User(r), r.PathValue("name")))
}

func (d *dashboard) removeUser(w http.ResponseWriter, r *http.Request) {
	d.changed(w, r, "/people", d.control.RemoveUser(r.Context(), d.o.User(r).Name, r.PathValue("name")))
}
