package store

import (
	"context"
	"fmt"
	"time"
)

// A User is a person who may sign in. Subject is who they are at the OpenID
// provider, "" for who has never come from it; no two users have one.
type User struct {
	Name      string
	Role      string
	Admin     bool
	Subject   string
	By        string // who gave the role
	At        time.Time
	CreatedAt time.Time
}

// PutUser writes a user.
func (tx *Tx) PutUser(u User) error {
	utc(&u.At, &u.CreatedAt)
	var subject any // NULL is equal to no other
	if u.Subject != "" {
		subject = u.Subject
	}
	err := tx.exec(`INSERT INTO users (name, subject, admin, body) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET subject = excluded.subject, admin = excluded.admin,
		body = excluded.body`, u.Name, subject, flag(u.Admin), encode(u))
	if err != nil {
		return fmt.Errorf("write user %s: %w", u.Name, err)
	}
	return nil
}

// User reads a user; false if there is none.
func (tx *Tx) User(name string) (User, bool, error) { return user(tx.q, name) }

// User reads a user; false if there is none.
func (db *DB) User(ctx context.Context, name string) (User, bool, error) {
	return user(db.read(ctx), name)
}

func user(q querier, name string) (User, bool, error) {
	return body[User](q, `SELECT body FROM users WHERE name = ?`, clean(name))
}

// UserBySubject reads the user who is subject at the OpenID provider; false if
// there is none.
func (tx *Tx) UserBySubject(subject string) (User, bool, error) {
	return body[User](tx.q, `SELECT body FROM users WHERE subject = ?`, subject)
}

// Admins are the users who may do everything. They stay so until the commit:
// of two who remove each other, one is told.
func (tx *Tx) Admins() ([]User, error) {
	return bodies[User](tx.q, `SELECT body FROM users WHERE admin = 1 ORDER BY name`+tx.q.d.lock)
}

// Users lists the users by name.
func (db *DB) Users(ctx context.Context) ([]User, error) {
	return bodies[User](db.read(ctx), `SELECT body FROM users ORDER BY name`)
}

// DeleteUser forgets a user with all tokens of theirs, and the codes that sign
// them in: the next of that name is somebody else.
func (tx *Tx) DeleteUser(name string) error {
	if err := tx.DeleteLoginCodes(name); err != nil {
		return fmt.Errorf("forget login codes of %s: %w", name, err)
	}
	if err := tx.exec(`DELETE FROM user_tokens WHERE owner = ?`, name); err != nil {
		return fmt.Errorf("forget tokens of %s: %w", name, err)
	}
	if err := tx.exec(`DELETE FROM users WHERE name = ?`, name); err != nil {
		return fmt.Errorf("forget user %s: %w", name, err)
	}
	return nil
}
