package control

import (
	"context"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// codeLife is how long a sign-in link can be used.
const codeLife = 15 * time.Minute

// SignedIn is how long a browser or terminal stays signed in.
const SignedIn = 30 * 24 * time.Hour

// NewLoginCode makes a code that signs one browser or terminal in, once, as a
// user, with no more than by may and, if that came from the provider, for no
// longer.
func (c *Control) NewLoginCode(ctx context.Context, by User) (string, error) {
	if err := by.MayLetIn(); err != nil {
		return "", err
	}
	code := store.LoginCode{Name: by.Name}
	if by.Role != by.Whole {
		code.Scope = string(by.Role)
	}
	if by.bound {
		code.Until = by.expires
	}
	return c.newCode(ctx, by.Name, code, func(*store.Tx) error { return nil })
}

// MayLetIn is CodeDenied for a personal token: a link that it made, to sign in
// as anybody, would let in who has stolen it when it is long revoked.
func (u User) MayLetIn() error {
	if !u.Personal {
		return nil
	}
	return blaise.Errorf(blaise.CodeDenied, "a personal token makes no sign-in link").
		WithHint("sign this terminal in with `blaise login`")
}

// Invite makes a code that signs a user in, for an administrator to hand on. It
// ends those that there are. CodeNotFound.
func (c *Control) Invite(ctx context.Context, by, name string) (string, error) {
	_, found, err := c.db.User(ctx, name)
	if err != nil {
		return "", err
	}
	if !found {
		return "", blaise.Errorf(blaise.CodeNotFound, "there is no user %s", name).
			WithHint("`blaise user add %s` makes one", name)
	}
	return c.newCode(ctx, by, store.LoginCode{Name: name}, func(tx *store.Tx) error { return tx.DeleteLoginCodes(name) })
}

func (c *Control) newCode(
	ctx context.Context, by string, l store.LoginCode, first func(*store.Tx) error,
) (code string, err error) {
	line := blaise.Audit{By: by, Kind: blaise.AuditUserLink, Thing: l.Name}
	err = c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error {
		if err := first(tx); err != nil {
			return err
		}
		code, err = c.putCode(tx, l)
		return err
	})
	return code, err
}

func (c *Control) putCode(tx *store.Tx, l store.LoginCode) (string, error) {
	code := newSecret(CodePrefix)
	return code, tx.PutLoginCode(HashToken(code), c.now().Add(codeLife), l)
}

// Login takes a code and answers a token for whom it was made. Label says what
// the token is for, from where the request comes.
func (c *Control) Login(ctx context.Context, code, label, from string) (token string, u User, err error) {
	there, err := c.db.HasLoginCode(ctx, HashToken(code))
	switch {
	case err != nil:
		return "", User{}, err
	case !there: // a guess takes no turn of the writer
		return "", User{}, errNoCode()
	}
	line := blaise.Audit{Kind: blaise.AuditUserSignedIn, Detail: label + " at " + from + ", by link"}
	err = c.audited(ctx, line, func(tx *store.Tx, line *blaise.Audit) error {
		l, taken, err := tx.TakeLoginCode(HashToken(code))
		if err != nil {
			return err
		}
		owner, found, err := tx.User(l.Name)
		if err != nil {
			return err
		}
		if !taken || !found {
			return errNoCode()
		}
		t := store.UserToken{Scope: l.Scope, Label: label, ExpiresAt: c.now().Add(SignedIn)}
		if t.Bound = !l.Until.IsZero(); t.Bound {
			t.ExpiresAt = l.Until
		}
		token, u, err = c.signIn(tx, owner, t)
		line.By, line.Thing = owner.Name, owner.Name
		return err
	})
	return token, u, err
}

func errNoCode() error {
	return blaise.Errorf(blaise.CodeDenied, "the sign-in link was used before or is too old").
		WithHint("`blaise open` prints a new one")
}

// signIn makes the token of a browser or terminal; it is always a new one.
func (c *Control) signIn(tx *store.Tx, owner store.User, t store.UserToken) (string, User, error) {
	secret := newSecret(UserPrefix)
	t.Hash, t.ID, t.Name, t.By = HashToken(secret), newTokenID(), owner.Name, owner.Name
	t.CreatedAt = c.now()
	if err := tx.ForgetExpired(); err != nil {
		return "", User{}, err
	}
	return secret, userOf(owner, t), tx.PutUserToken(t)
}

// signedIn says that a token is that of a browser or a terminal that was signed in.
func signedIn(t store.UserToken) bool { return !t.Personal && !t.ExpiresAt.IsZero() }

// Logout ends what a browser or a terminal was signed in with, and what follows
// with it. A token that is not known is no error; one for scripts, and that of
// who owns the data folder, go on.
func (c *Control) Logout(ctx context.Context, token string) error {
	t, err := c.db.UserByToken(ctx, HashToken(token))
	switch {
	case err != nil && blaise.CodeOf(err) == blaise.CodeNotFound:
		return nil
	case err != nil:
		return err
	case !signedIn(t):
		return nil
	}
	line := blaise.Audit{By: t.Name, Kind: blaise.AuditUserSignedOut, Thing: t.Name, Detail: t.Label}
	err = c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error { return tx.DeleteUserToken(t.Hash) })
	if err == nil {
		c.hub.Wake(TopicUser(t.Name))
	}
	return err
}

// SignOut ends all that a user is signed in with, browsers, terminals and links.
// Their tokens for scripts go on, and that of who owns the data folder. A
// personal token does not sign its own user out: CodeDenied.
func (c *Control) SignOut(ctx context.Context, by User, name string) error {
	if by.Personal && by.Name == name {
		return blaise.Errorf(blaise.CodeDenied, "a personal token does not sign its user out").
			WithHint("sign this terminal in with `blaise login`")
	}
	line := blaise.Audit{By: by.Name, Kind: blaise.AuditUserSignedOut, Thing: name, Detail: "everywhere"}
	err := c.audited(ctx, line, func(tx *store.Tx, _ *blaise.Audit) error {
		if _, err := known(tx, name); err != nil {
			return err
		}
		if err := tx.DeleteLoginCodes(name); err != nil {
			return err
		}
		all, err := tx.UserTokens(name)
		for _, t := range all {
			if err == nil && signedIn(t) {
				err = tx.DeleteUserToken(t.Hash)
			}
		}
		return err
	})
	if err == nil {
		c.log.Info("user signed out everywhere", "user", name, "by", by.Name)
		c.hub.Wake(TopicUser(name))
	}
	return err
}
