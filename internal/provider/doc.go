// Package provider signs people in with an OpenID Connect provider: the
// authorization code flow with PKCE, a state and a nonce. Package server sends
// browsers through it; it knows no cookie and no store, and keeps nothing but
// what the provider says of itself.
package provider
