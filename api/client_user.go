package api

import (
	"context"
	"net/http"
)

// The calls of this file carry a user's token. Those about other users are an
// administrator's.

// Users lists who may sign in.
func (c *Client) Users(ctx context.Context) ([]User, error) {
	var out []User
	return out, c.get(ctx, "/api/users", nil, &out)
}

// AddUser makes a user, and a link that signs them in, once. CodeRefused: there
// is one of that name.
func (c *Client) AddUser(ctx context.Context, u NewUser) (Link, error) {
	var out Link
	return out, c.post(ctx, "/api/users", u, &out)
}

// InviteUser makes another link that signs a user in, once.
func (c *Client) InviteUser(ctx context.Context, name string) (Link, error) {
	var out Link
	return out, c.post(ctx, "/api/users/"+esc(name)+"/link", struct{}{}, &out)
}

// SetRole changes what a user may do, at once. CodeRefused: the last
// administrator stays one.
func (c *Client) SetRole(ctx context.Context, name, role string) error {
	return c.post(ctx, "/api/users/"+esc(name)+"/role", UserRole{Role: role}, nil)
}

// RemoveUser forgets a user and makes all their tokens worthless.
func (c *Client) RemoveUser(ctx context.Context, name string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: "/api/users/" + esc(name)})
}

// SignOutUser ends all browsers and terminals that a user is signed in with.
// Their tokens for scripts go on.
func (c *Client) SignOutUser(ctx context.Context, name string) error {
	return c.post(ctx, "/api/users/"+esc(name)+"/sign-out", struct{}{}, nil)
}

// SignOut is SignOutUser of oneself.
func (c *Client) SignOut(ctx context.Context) error {
	return c.post(ctx, "/api/me/sign-out", struct{}{}, nil)
}

// Logout ends what the client's token was signed in with, and nothing else. A
// token for scripts, and that of the data folder, go on.
func (c *Client) Logout(ctx context.Context) error {
	return c.post(ctx, "/api/me/logout", struct{}{}, nil)
}

// PersonalTokens lists one's own tokens for scripts.
func (c *Client) PersonalTokens(ctx context.Context) ([]PersonalToken, error) {
	var out []PersonalToken
	return out, c.get(ctx, "/api/me/tokens", nil, &out)
}

// NewPersonalToken makes a token for a script; its Secret is shown this once.
func (c *Client) NewPersonalToken(ctx context.Context, t NewPersonalToken) (PersonalToken, error) {
	var out PersonalToken
	return out, c.post(ctx, "/api/me/tokens", t, &out)
}

// RevokePersonalToken makes one of one's own tokens worthless, by its id or
// its name.
func (c *Client) RevokePersonalToken(ctx context.Context, token string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: "/api/me/tokens/" + esc(token)})
}
