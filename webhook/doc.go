// Package webhook sends one message to one address, as the Standard Webhooks
// specification says: signed with a secret that both sides know, and never to
// a place that only Blaise's own machine or network can reach, unless that is
// allowed.
//
// Package control calls it. It keeps nothing and tries nothing twice.
package webhook
