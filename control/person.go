package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// providerLife is how long who came from the provider stays signed in: what it
// says of them may change.
const providerLife = 24 * time.Hour

// byProvider gives roles in the record.
const byProvider = "provider"

// A Person is who an OpenID provider says that somebody is.
type Person struct {
	Subject string // who they are there, for good
	Name    string
	Owned   bool // the provider has made sure that the name is theirs
	Ruled   bool // the provider says their role, each time they come
	Role    Role // if it does; "" keeps them out
	Default Role // else, of who is new; "" keeps them out
}

// SignIn answers a token for who came from the provider, and makes them a user
// where they are none yet. CodeDenied: they have no role, or the name is
// somebody else's.
func (c *Control) SignIn(ctx context.Context, p Person, label, from string) (token string, u User, err error) {
	changed := false
	line := blaise.Audit{Kind: blaise.AuditUserSignedIn, Detail: label + " at " + from + ", by the provider"}
	err = c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		owner, known, err := ownerOf(tx, p)
		if err != nil {
			return err
		}
		role := roleOf(owner, p)
		if changed = !known || string(role) != owner.Role; changed {
			if err := c.putRole(tx, owner, role); err != nil {
				return err
			}
			owner.Role = string(role)
			line.Detail += ", as " + string(role)
		}
		line.By, line.Thing = owner.Name, owner.Name
		token, u, err = c.signIn(tx, owner, store.UserToken{
			Label: label, Bound: true, ExpiresAt: c.now().Add(providerLife),
		})
		return err
	})
	if err == nil && changed {
		c.log.Info("user came from the provider", "user", u.Name, "role", u.Role)
		c.hub.Wake(TopicUser(u.Name))
	}
	return token, u, err
}

// ownerOf finds the user who somebody is; known if they came before. One that
// an administrator has made becomes theirs if the provider vouches for the name.
func ownerOf(tx *store.Tx, p Person) (u store.User, known bool, err error) {
	u, known, err = tx.UserBySubject(p.Subject)
	if err != nil || known {
		return u, known, err
	}
	u, found, err := tx.User(p.Name)
	switch {
	case err != nil:
	case !found:
		err = checkName(p.Name)
	case u.Subject != "" || !p.Owned:
		err = blaise.Errorf(blaise.CodeDenied, "there is a user %s already, and nobody vouches that you are them", p.Name).
			WithHint("an administrator can remove that one: `blaise user remove %s`", p.Name)
	}
	u.Name, u.Subject = p.Name, p.Subject
	return u, false, err
}

// roleOf is the role of who came from the provider, "" for none.
func roleOf(u store.User, p Person) Role {
	switch {
	case p.Ruled:
		return p.Role
	case u.Role != "":
		return Role(u.Role)
	}
	return p.Default
}

// putRole writes the role that the provider gave.
func (c *Control) putRole(tx *store.Tx, u store.User, role Role) error {
	if role == "" {
		return blaise.Errorf(blaise.CodeDenied, "the provider knows you as %s, and gives you no role in Blaise", u.Name).
			WithHint("ask an administrator of Blaise, or of its provider")
	}
	return c.changeRole(tx, byProvider, u, role)
}
