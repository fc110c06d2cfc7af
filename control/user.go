package control

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// userNames are those that a person can read in a record and not mistake:
// letters of any script, no signs that turn or hide text. How long they may be
// is counted apart: a bounded repeat of such classes takes 4 MB, in every process
// of this program.
var userNames = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+-]*$`)

// longestName is that of a user, in letters.
const longestName = 100

// AuthorDev is who makes the agents of `blaise dev`.
const AuthorDev = "blaise dev"

// reserved are the authors in a record that are no people.
var reserved = map[string]bool{
	AuthorDev: true,
	"clock":   true, "drain": true, "blaise": true, "runner": true, "upgrade": true,
	byProvider: true, AuthorRetention: true, blaise.ByGate: true,
}

// isAuthor says that a name in a record would be taken for no person's: runs and
// runners stand there as "run 1x2y.1" and "runner laptop".
func isAuthor(name string) bool {
	return reserved[name] || strings.HasPrefix(name, "run ") || strings.HasPrefix(name, "runner ")
}

// AddUser makes a user, and a code that signs them in. CodeRefused: there is one
// of that name.
func (c *Control) AddUser(ctx context.Context, by, name string, role Role) (code string, err error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	line := blaise.Audit{By: by, Kind: blaise.AuditUserAdded, Thing: name, Detail: "as " + string(role)}
	err = c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error {
		_, found, err := tx.User(name)
		if err != nil {
			return err
		}
		if found {
			return blaise.Errorf(blaise.CodeRefused, "there is a user %s already", name).
				WithHint("`blaise user invite %s` signs them in once more; `blaise user role %[1]s %s` changes what they may do", name, role)
		}
		if err := c.putUser(tx, by, store.User{Name: name}, role); err != nil {
			return err
		}
		code, err = c.putCode(tx, store.LoginCode{Name: name})
		return err
	})
	return code, err
}

func checkName(name string) error {
	if userNames.MatchString(name) && utf8.RuneCountInString(name) <= longestName && !isAuthor(strings.ToLower(name)) {
		return nil
	}
	return blaise.Errorf(blaise.CodeInvalid, "%q is no name of a user", name).
		WithHint("letters, digits and . _ @ + - are, up to 100: an address of email, for instance")
}

func (c *Control) putUser(tx *store.Tx, by string, u store.User, role Role) error {
	u.Role, u.Admin, u.By, u.At = string(role), role == RoleAdmin, by, c.now()
	if u.CreatedAt.IsZero() {
		u.CreatedAt = u.At
	}
	return tx.PutUser(u)
}

// Users lists the users by name.
func (c *Control) Users(ctx context.Context) ([]store.User, error) { return c.db.Users(ctx) }

// SetRole changes what a user may do, at once for all their tokens. The last
// administrator stays one: CodeRefused.
func (c *Control) SetRole(ctx context.Context, by, name string, role Role) error {
	line := blaise.Audit{By: by, Kind: blaise.AuditUserRole, Thing: name}
	err := c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		u, err := known(tx, name)
		if err != nil {
			return err
		}
		line.Detail = "from " + u.Role + " to " + string(role)
		return c.changeRole(tx, by, u, role)
	})
	if err == nil {
		c.log.Info("role of a user changed", "user", name, "role", role, "by", by)
		c.hub.Wake(TopicUser(name))
	}
	return err
}

func (c *Control) changeRole(tx *store.Tx, by string, u store.User, role Role) error {
	if role != RoleAdmin {
		if err := notLast(tx, u.Name); err != nil {
			return err
		}
	}
	return c.putUser(tx, by, u, role)
}

// RemoveUser forgets a user and makes all their tokens worthless; the record
// keeps their name. The last administrator stays: CodeRefused.
func (c *Control) RemoveUser(ctx context.Context, by, name string) error {
	line := blaise.Audit{By: by, Kind: blaise.AuditUserRemoved, Thing: name}
	err := c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error {
		if _, err := known(tx, name); err != nil {
			return err
		}
		if err := notLast(tx, name); err != nil {
			return err
		}
		return tx.DeleteUser(name)
	})
	if err == nil {
		c.log.Info("user removed", "user", name, "by", by)
		c.hub.Wake(TopicUser(name))
	}
	return err
}

func known(tx *store.Tx, name string) (store.User, error) {
	u, found, err := tx.User(name)
	if err == nil && !found {
		err = blaise.Errorf(blaise.CodeNotFound, "there is no user %s", name).WithHint("see `blaise user list`")
	}
	return u, err
}

// notLast refuses to leave Blaise without an administrator.
func notLast(tx *store.Tx, name string) error {
	admins, err := tx.Admins()
	if err != nil {
		return err
	}
	if len(admins) == 1 && admins[0].Name == name {
		return blaise.Errorf(blaise.CodeRefused, "%s is the last administrator", name).
			WithHint("make another one first: `blaise user role NAME admin`")
	}
	return nil
}
