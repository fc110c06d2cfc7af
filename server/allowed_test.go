package server_test

import (
	"context"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// TestRemovedUserHearsNothing: what a removed user follows ends at once, and
// they cannot come again.
func TestRemovedUserHearsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.start("hello")
	vic := h.client(h.as("vic", control.RoleViewer))
	heard, ended := make(chan struct{}, 100), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		ended <- vic.Follow(ctx, p.Session, 0, func(api.Followed) error { heard <- struct{}{}; return nil })
	}()
	<-heard
	if err := h.user.RemoveUser(ctx, "vic"); err != nil {
		t.Fatal(err)
	}
	code(t, <-ended, blaise.CodeDenied)
}

// TestSignOut: whoever is signed out everywhere signs in anew; tokens for
// scripts go on, and cannot do it.
func TestSignOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	link, err := h.user.AddUser(ctx, api.NewUser{Name: "vic", Role: "viewer"})
	if err != nil {
		t.Fatal(err)
	}
	in, err := h.client("").Login(ctx, link.Code)
	if err != nil {
		t.Fatal(err)
	}
	vic := h.client(in.Token)
	script, err := vic.NewPersonalToken(ctx, api.NewPersonalToken{Name: "x", Scope: "read"})
	if err != nil {
		t.Fatal(err)
	}
	code(t, h.client(script.Secret).SignOut(ctx), blaise.CodeDenied)
	if err := vic.SignOut(ctx); err != nil {
		t.Fatal(err)
	}
	_, err = vic.Me(ctx)
	code(t, err, blaise.CodeDenied)
	if _, err := h.client(script.Secret).Me(ctx); err != nil {
		t.Errorf("the token for a script: %v", err)
	}
	code(t, h.user.SignOutUser(ctx, "nobody"), blaise.CodeNotFound)
	if err := h.user.SignOutUser(ctx, "ann"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.user.Me(ctx); err != nil {
		t.Errorf("who owns the data folder: %v", err)
	}
}
