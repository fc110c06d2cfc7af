package control

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

const (
	// maxTokenLife bounds how long a personal token may open something.
	maxTokenLife = 366 * 24 * time.Hour
	// tokenLife is how long one lives unless its maker says.
	tokenLife = "90d"
	// maxTokens bounds how many personal tokens one user has.
	maxTokens = 100
)

// A Personal token is one to make, for a script.
type Personal struct {
	Label string
	Scope string // read, write or admin
	Life  string // as 12h or 30d; 90d if empty
}

// NewPersonal makes a token for a script, which opens no more than its user
// may. It answers the secret, shown this once. A personal token makes none:
// one that leaked must not live on in another.
func (c *Control) NewPersonal(ctx context.Context, by User, p Personal) (store.UserToken, string, error) {
	role, life, err := p.check()
	if err == nil {
		err = by.May("a token of scope "+p.Scope, role)
	}
	if err == nil && by.Personal {
		err = blaise.Errorf(blaise.CodeDenied, "a personal token makes no other").
			WithHint("sign this terminal in with `blaise login`")
	}
	if err != nil {
		return store.UserToken{}, "", err
	}
	secret := newSecret(UserPrefix)
	t := store.UserToken{
		Hash: HashToken(secret), ID: newTokenID(), Name: by.Name, Label: p.Label, Personal: true,
		Scope: string(role), By: by.Name, CreatedAt: c.now(), ExpiresAt: c.now().Add(life),
	}
	line := blaise.Audit{
		By: by.Name, Kind: blaise.AuditPersonalCreated, Thing: p.Label,
		Detail: "id " + t.ID + ", scope " + p.Scope + ", until " + t.ExpiresAt.Format(time.RFC3339),
	}
	return t, secret, c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error {
		if err := roomFor(tx, by.Name); err != nil {
			return err
		}
		return tx.PutUserToken(t)
	})
}

func (p Personal) check() (role Role, life time.Duration, err error) {
	role, ok := scopes[p.Scope]
	life, err = ParseDuration(cmp.Or(p.Life, tokenLife))
	switch {
	case strings.TrimSpace(p.Label) == "" || len(p.Label) > 100:
		err = blaise.Errorf(blaise.CodeInvalid, "a personal token needs a name of up to 100 bytes").
			WithHint("say what it is for")
	case strings.ContainsFunc(p.Label, hidden) || !utf8.ValidString(p.Label):
		err = blaise.Errorf(blaise.CodeInvalid, "%q is no name of a token: it holds what is not seen", p.Label).
			WithHint("letters, digits, signs and spaces are")
	case !ok:
		err = blaise.Errorf(blaise.CodeInvalid, "there is no scope %q", p.Scope).
			WithHint("one of read, write, admin")
	case err != nil || life <= 0 || life > maxTokenLife:
		err = blaise.Errorf(blaise.CodeInvalid, "a personal token cannot live for %q", p.Life).
			WithHint("write 12h or 30d; %d days is the longest", maxTokenLife/(24*time.Hour))
	}
	return role, life, err
}

// hidden says that a character is not seen, and may make a name read as another.
func hidden(r rune) bool { return !unicode.IsPrint(r) }

// roomFor refuses one personal token too many.
func roomFor(tx *store.Tx, owner string) error {
	if err := tx.ForgetExpired(); err != nil {
		return err
	}
	all, err := tx.UserTokens(owner)
	if err != nil || len(personal(all)) < maxTokens {
		return err
	}
	return blaise.Errorf(blaise.CodeRefused, "%s has %d personal tokens, and may have no more", owner, maxTokens).
		WithHint("`blaise token personal list` shows them, `blaise token personal revoke` ends one")
}

// PersonalTokens lists a user's tokens for scripts, oldest first, also those
// that have expired and were not forgotten yet.
func (c *Control) PersonalTokens(ctx context.Context, name string) ([]store.UserToken, error) {
	all, err := c.db.UserTokens(ctx, name)
	return personal(all), err
}

func personal(all []store.UserToken) []store.UserToken {
	var some []store.UserToken
	for _, t := range all {
		if t.Personal {
			some = append(some, t)
		}
	}
	return some
}

// RevokePersonal makes a user's own token worthless, found by its id or its
// name. CodeNotFound.
func (c *Control) RevokePersonal(ctx context.Context, owner, token string) error {
	line := blaise.Audit{By: owner, Kind: blaise.AuditPersonalRevoked, Thing: token}
	err := c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		all, err := tx.UserTokens(owner)
		if err != nil {
			return err
		}
		var found []store.UserToken
		for _, t := range personal(all) {
			if t.ID == token || t.Label == token {
				found = append(found, t)
			}
		}
		switch len(found) {
		case 0:
			return blaise.Errorf(blaise.CodeNotFound, "%s has no personal token %s", owner, token).
				WithHint("see `blaise token personal list`")
		case 1:
			line.Thing, line.Detail = found[0].Label, "id "+found[0].ID
			return tx.DeleteUserToken(found[0].Hash)
		}
		return blaise.Errorf(blaise.CodeInvalid, "%d tokens are called %s", len(found), token).
			WithHint("name one by its id; see `blaise token personal list`")
	})
	if err == nil {
		c.hub.Wake(TopicUser(owner))
	}
	return err
}

// newTokenID names a token in lists.
func newTokenID() string { return strings.ToLower(rand.Text()[:10]) }
