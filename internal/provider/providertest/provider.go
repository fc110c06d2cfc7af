// Package providertest runs a real OpenID provider for tests: zitadel's, with
// people and groups of its own, behind HTTP on loopback.
package providertest

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// The client that every provider knows.
const (
	Client = "blaise"
	Secret = "a secret of the client"
)

// A Person may sign in at a provider with the password "password".
type Person struct {
	Email    string
	Verified bool
	Groups   []string
}

// Start runs a provider that sends browsers back to callback, and returns its
// issuer. People sign in by their email.
func Start(t *testing.T, callback string, people ...Person) (issuer string) {
	t.Helper()
	var h http.Handler
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) }))
	t.Cleanup(s.Close)
	known := &register{people: map[string]Person{}}
	for _, p := range people {
		known.people[p.Email] = p
	}
	clients := map[string]*storage.Client{Client: storage.WebClient(Client, Secret, callback)}
	h = exampleop.SetupServer(s.URL, grouped{storage.NewStorageWithClients(known, clients), known}, nil, false,
		op.WithAllowInsecure())
	return s.URL
}

// A register is whom a provider knows.
type register struct{ people map[string]Person }

// GetUserByID finds a person.
func (r *register) GetUserByID(id string) *storage.User { return r.GetUserByUsername(id) }

// GetUserByUsername finds a person.
func (r *register) GetUserByUsername(name string) *storage.User {
	p, ok := r.people[name]
	if !ok {
		return nil
	}
	return &storage.User{
		ID: p.Email, Username: p.Email, Password: "password", Email: p.Email, EmailVerified: p.Verified,
	}
}

// ExampleClientID names a service that no test uses.
func (r *register) ExampleClientID() string { return "service" }

// grouped adds the groups of people to what the provider says of them.
type grouped struct {
	*storage.Storage
	known *register
}

// SetUserinfoFromToken fills in what the endpoint for it answers.
func (g grouped) SetUserinfoFromToken(ctx context.Context, u *oidc.UserInfo, token, subject, origin string) error {
	err := g.Storage.SetUserinfoFromToken(ctx, u, token, subject, origin)
	u.Claims = maps.Clone(u.Claims)
	u.AppendClaims("groups", g.known.people[subject].Groups)
	return err
}
