package control

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"

	"github.com/google/uuid"
)

// Prefixes of the tokens, so that one found in a log says what it opens.
const (
	RunnerPrefix = "blr_"
	UserPrefix   = "blu_"
	CodePrefix   = "blc_"
)

func newSecret(prefix string) string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// NewRunner makes a runner and its token, which is shown this once.
func (c *Control) NewRunner(ctx context.Context, by, name string, labels map[string]string, single bool) (store.Runner, string, error) {
	return c.makeRunner(ctx, store.Runner{Name: name, Labels: labels, SingleUse: single, By: by})
}

func (c *Control) makeRunner(ctx context.Context, r store.Runner) (store.Runner, string, error) {
	if r.Name == "" {
		return r, "", blaise.Errorf(blaise.CodeInvalid, "create token: the runner has no name").
			WithHint("blaise token create NAME")
	}
	secret := newSecret(RunnerPrefix)
	r.ID = blaise.RunnerID(uuid.Must(uuid.NewV7()).String())
	r.TokenHash, r.CreatedAt = HashToken(secret), c.now()
	line := blaise.Audit{By: r.By, Kind: blaise.AuditTokenCreated, Thing: r.Name, Detail: "runner " + string(r.ID)}
	if r.SingleUse {
		line.Detail += ", single use"
	}
	return r, secret, c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error { return tx.PutRunner(r) })
}

// ByRunnerToken finds the runner a token belongs to; CodeDenied if there is
// none or it was revoked.
func (c *Control) ByRunnerToken(ctx context.Context, token string) (store.Runner, error) {
	hash := HashToken(token)
	r, err := c.db.RunnerByToken(ctx, hash)
	switch {
	case err != nil && blaise.CodeOf(err) == blaise.CodeNotFound:
		return r, blaise.Errorf(blaise.CodeDenied, "the runner token is not known").
			WithHint("make one with `blaise token create NAME`")
	case err != nil:
		return r, err
	case r.Revoked:
		return r, revoked(r)
	}
	if err := c.replaced(r, hash); err != nil {
		return r, err
	}
	return r, c.fresh(r)
}

func revoked(r store.Runner) error {
	return blaise.Errorf(blaise.CodeDenied, "the token of runner %s was revoked", r.Name).
		WithHint("make a new one with `blaise token create NAME`")
}

// NewUserToken makes a token without an end, for who owns the data folder. The
// user is made with the role, if there is none.
func (c *Control) NewUserToken(ctx context.Context, name string, role Role) (string, error) {
	secret := newSecret(UserPrefix)
	t := store.UserToken{
		Hash: HashToken(secret), ID: newTokenID(), Name: name, Label: "data folder", By: name, CreatedAt: c.now(),
	}
	line := blaise.Audit{By: name, Kind: blaise.AuditPersonalCreated, Thing: t.Label, Detail: "id " + t.ID}
	return secret, c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error {
		_, found, err := tx.User(name)
		if err == nil && !found {
			err = c.putUser(tx, name, store.User{Name: name}, role)
		}
		if err != nil {
			return err
		}
		return tx.PutUserToken(t)
	})
}

// ByUserToken finds the user a token belongs to; CodeDenied if there is none.
func (c *Control) ByUserToken(ctx context.Context, token string) (User, error) {
	return c.byHash(ctx, HashToken(token))
}

func (c *Control) byHash(ctx context.Context, hash []byte) (User, error) {
	t, err := c.db.UserByToken(ctx, hash)
	if err != nil && blaise.CodeOf(err) != blaise.CodeNotFound {
		return User{}, err
	}
	owner, found := store.User{}, false
	if err == nil {
		if owner, found, err = c.db.User(ctx, t.Name); err != nil {
			return User{}, err
		}
	}
	if !found {
		return User{}, blaise.Errorf(blaise.CodeDenied, "the token is not known, or has expired").
			WithHint("sign in with the link that Blaise printed when it started, or `blaise login`")
	}
	return userOf(owner, t), nil
}

// userOf is who a token belongs to.
func userOf(owner store.User, t store.UserToken) User {
	u := User{
		Name: owner.Name, Role: Role(owner.Role), Whole: Role(owner.Role), Token: t.ID, Personal: t.Personal,
		hash: string(t.Hash), expires: t.ExpiresAt, bound: t.Bound,
	}
	if t.Scope != "" {
		u.Role = lesser(u.Whole, Role(t.Scope))
	}
	return u
}
