package control

import (
	"time"

	"blaise.dev/blaise"
)

// A Role is what a user may do; each may all that those before it may.
type Role string

// The roles. A token's scope is the most that it opens of its user's role:
// read is a viewer's, write a member's.
const (
	RoleViewer Role = "viewer" // reads
	RoleMember Role = "member" // starts, says, answers, ends
	RoleAdmin  Role = "admin"  // agents, runners, users, and what loses work
)

var ranks = map[Role]int{RoleViewer: 1, RoleMember: 2, RoleAdmin: 3}

// Allows says that r may do what needs a role. No role allows what needs none
// of the three.
func (r Role) Allows(needed Role) bool {
	return ranks[needed] > 0 && ranks[r] >= ranks[needed]
}

// lesser is what both allow.
func lesser(a, b Role) Role {
	if a.Allows(b) {
		return b
	}
	return a
}

// ParseRole reads a role. CodeInvalid.
func ParseRole(s string) (Role, error) {
	if ranks[Role(s)] == 0 {
		return "", blaise.Errorf(blaise.CodeInvalid, "there is no role %q", s).
			WithHint("one of viewer, member, admin")
	}
	return Role(s), nil
}

// RoleFor is the role that a person needs for an event: what gives work up or
// takes a person's word for it is an administrator's.
func RoleFor(e blaise.Event) Role {
	switch {
	case e.Force, e.Kind == blaise.EventMarkDestroyed, e.Kind == blaise.EventLostDeclared:
		return RoleAdmin
	}
	return RoleMember
}

// A User is who a user token belongs to. Role is what the token opens: the
// user's role or, if that is less, the token's scope.
type User struct {
	Name     string
	Role     Role
	Token    string // its id
	Personal bool   // it is one for scripts
	Whole    Role   // the user's role, whatever the token

	hash    string    // the token's
	expires time.Time // zero: never
	bound   bool      // what it signs in ends with it
}

// May refuses what the user's role, or their token's scope, does not allow.
// CodeDenied.
func (u User) May(what string, needed Role) error {
	if u.Role.Allows(needed) {
		return nil
	}
	if u.Whole.Allows(needed) {
		return blaise.Errorf(blaise.CodeDenied, "%s needs a token of scope %s; this one is of scope %s",
			what, ScopeOf(needed), ScopeOf(u.Role)).
			WithHint("make one with `blaise token personal create --scope %s`", ScopeOf(needed))
	}
	return blaise.Errorf(blaise.CodeDenied, "%s needs the role %s; %s is %s", what, needed, u.Name, article(u.Role)).
		WithHint("an administrator can change that with `blaise user role %s %s`", u.Name, needed)
}

func article(r Role) string {
	if r == RoleAdmin {
		return "an " + string(r)
	}
	return "a " + string(r)
}

var scopes = map[string]Role{"read": RoleViewer, "write": RoleMember, "admin": RoleAdmin}

// ScopeOf is the scope of a token that opens a role: read, write, admin.
func ScopeOf(r Role) string {
	for scope, role := range scopes {
		if role == r {
			return scope
		}
	}
	return ""
}
