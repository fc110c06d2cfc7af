package provider

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"sync"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/control"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// patience is how long the provider may take for an answer.
const patience = 10 * time.Second

// A Provider signs people in. It is safe for concurrent use.
type Provider struct {
	c    Config
	http *http.Client

	mu    sync.Mutex // guards what follows
	found *oidc.Provider
}

// New returns a provider; it asks nothing of it yet, so that Blaise starts
// also while it is away.
func New(c Config) *Provider { return &Provider{c: c, http: &http.Client{Timeout: patience}} }

// Label is what people call the provider.
func (p *Provider) Label() string { return p.c.Label }

// A Flow is what the browser that began to sign in keeps until it comes back.
type Flow struct {
	State, Nonce, Verifier string
}

// Begin answers where a browser goes to sign in, and the flow that End takes.
// CodeUnreachable: the provider does not answer.
func (p *Provider) Begin(ctx context.Context, callback string) (string, Flow, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", Flow{}, err
	}
	f := Flow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	to := p.oauth(found, callback).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
	return to, f, nil
}

// End answers who came back from the provider with what query says. CodeDenied:
// the query belongs to another flow, the provider let nobody in, or what it
// says of who it was does not hold.
func (p *Provider) End(ctx context.Context, callback string, f Flow, query url.Values) (control.Person, error) {
	if f.State == "" || subtle.ConstantTimeCompare([]byte(f.State), []byte(query.Get("state"))) != 1 {
		return control.Person{}, denied("the sign-in was not begun in this browser, or too long ago")
	}
	if why := query.Get("error"); why != "" {
		return control.Person{}, denied("the provider let nobody in: %.200s %.200s", why, query.Get("error_description"))
	}
	if iss := query.Get("iss"); iss != "" && iss != p.c.Issuer {
		return control.Person{}, denied("the answer comes from another provider")
	}
	found, err := p.discover(ctx)
	if err != nil {
		return control.Person{}, err
	}
	ctx = oidc.ClientContext(ctx, p.http)
	token, err := p.oauth(found, callback).Exchange(ctx, query.Get("code"), oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return control.Person{}, denied("the provider gave nothing for its code: %v", err)
	}
	return p.person(ctx, found, token, f.Nonce)
}

// person reads who a token is about.
func (p *Provider) person(ctx context.Context, found *oidc.Provider, token *oauth2.Token, nonce string) (control.Person, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := found.Verifier(&oidc.Config{ClientID: p.c.Client}).Verify(ctx, raw)
	if err != nil {
		return control.Person{}, denied("the provider's token does not hold: %v", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1 {
		return control.Person{}, denied("the provider's token belongs to another sign-in")
	}
	c := claims{}
	if err := id.Claims(&c); err != nil {
		return control.Person{}, denied("the provider's token cannot be read: %v", err)
	}
	if !c.has(p.c.Name) || p.c.Claim != "" && !c.has(p.c.Claim) { // many providers tell more when asked
		if more, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token)); err == nil && more.Subject == id.Subject {
			err = more.Claims(&c)
			if err != nil {
				return control.Person{}, denied("what the provider knows of you cannot be read: %v", err)
			}
		}
	}
	return p.c.personOf(id.Issuer+" "+id.Subject, c)
}

func (p *Provider) oauth(found *oidc.Provider, callback string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.c.Client, ClientSecret: p.c.secret, Endpoint: found.Endpoint(), RedirectURL: callback,
		Scopes: append([]string{oidc.ScopeOpenID, "profile", "email"}, p.c.Scopes...),
	}
}

// discover asks the provider about itself, until it has answered once.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	found := p.found
	p.mu.Unlock()
	if found != nil {
		return found, nil
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.http), p.c.Issuer)
	if err != nil {
		return nil, blaise.Errorf(blaise.CodeUnreachable, "the sign-in provider %s does not answer: %v", p.c.Issuer, err).
			WithHint("try again, or sign in with a link")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = found
	return found, nil
}

func denied(format string, args ...any) error {
	return blaise.Errorf(blaise.CodeDenied, format, args...).WithHint("begin to sign in again")
}
