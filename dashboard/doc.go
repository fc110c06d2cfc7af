// Package dashboard is the HTML face of control: pages made on the server, one
// stylesheet, a little script, all embedded.
//
// It hangs in package server, behind its door: who comes here is signed in,
// and forms come from pages of ours. Nothing an agent or a person has written
// becomes markup: html/template escapes it, and what is rendered as markdown
// is sanitized. The script only moves fragments made here to their places.
package dashboard
