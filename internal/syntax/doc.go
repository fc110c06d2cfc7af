// Package syntax tells what the words of a piece of code are, for pages and
// terminals that colour them. The languages stand in files, each read when a
// piece is first written in it: a program that colours nothing pays nothing for
// them at its start. Whoever writes code may be hostile, and there are languages that
// take minutes for a few kilobytes: a page has a budget of time, and what it found
// is kept. It knows no colour, no page and no terminal.
//
// The files under languages are chroma's own, with its licence; a test compares
// them with the chroma that go.mod names, and `go test ./internal/syntax -update`
// takes them anew. Beside this file stand the two that chroma describes in Go.
package syntax
