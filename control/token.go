package control

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"time"

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

// codeLife is how long a sign-in link can be used.
const codeLife = 15 * time.Minute

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
	return r, secret, c.db.Tx(ctx, func(tx *store.Tx) error { return tx.PutRunner(r) })
}

// ByRunnerToken finds the runner a token belongs to; CodeDenied if there is
// none or it was revoked.
func (c *Control) ByRunnerToken(ctx context.Context, token string) (store.Runner, error) {
	r, err := c.db.RunnerByToken(ctx, HashToken(token))
	switch {
	case err != nil && blaise.CodeOf(err) == blaise.CodeNotFound:
		return r, blaise.Errorf(blaise.CodeDenied, "the runner token is not known").
			WithHint("make one with `blaise token create NAME`")
	case err != nil:
		return r, err
	case r.Revoked:
		return r, revoked(r)
	}
	return r, c.fresh(r)
}

func revoked(r store.Runner) error {
	return blaise.Errorf(blaise.CodeDenied, "the token of runner %s was revoked", r.Name).
		WithHint("make a new one with `blaise token create NAME`")
}

// A User is who a user token belongs to.
type User struct {
	Name string
	Role string
}

// NewUserToken makes a token for a person or a script.
func (c *Control) NewUserToken(ctx context.Context, name, role string) (string, error) {
	secret := newSecret(UserPrefix)
	t := store.UserToken{Hash: HashToken(secret), Name: name, Role: role, CreatedAt: c.now()}
	return secret, c.db.Tx(ctx, func(tx *store.Tx) error { return tx.PutUserToken(t) })
}

// ByUserToken finds the user a token belongs to; CodeDenied if there is none.
func (c *Control) ByUserToken(ctx context.Context, token string) (User, error) {
	t, err := c.db.UserByToken(ctx, HashToken(token))
	if err != nil {
		if blaise.CodeOf(err) == blaise.CodeNotFound {
			return User{}, blaise.Errorf(blaise.CodeDenied, "the token is not known").
				WithHint("sign in with the link that Blaise printed when it started, or `blaise login`")
		}
		return User{}, err
	}
	return User{Name: t.Name, Role: t.Role}, nil
}

// NewLoginCode makes a code that signs one browser or terminal in, once.
func (c *Control) NewLoginCode(ctx context.Context) (string, error) {
	code := newSecret(CodePrefix)
	return code, c.db.Tx(ctx, func(tx *store.Tx) error {
		return tx.PutLoginCode(HashToken(code), c.now().Add(codeLife))
	})
}

// Login takes a code and answers a token of its own for who brought it.
func (c *Control) Login(ctx context.Context, code, name string) (string, error) {
	var ok bool
	err := c.db.Tx(ctx, func(tx *store.Tx) error {
		var err error
		ok, err = tx.TakeLoginCode(HashToken(code))
		return err
	})
	if err != nil {
		return "", err
	}
	if !ok {
		return "", blaise.Errorf(blaise.CodeDenied, "the sign-in link was used before or is too old").
			WithHint("`blaise open` prints a new one")
	}
	return c.NewUserToken(ctx, name, "admin")
}
