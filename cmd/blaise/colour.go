package main

import (
	"cmp"

	"strings"
)

// A colour says when there are colours: always, never, or as the terminal and
// its user want it.
type colour string

// String is the value of --color.
func (c *colour) String() string { return cmp.Or(string(*c), "auto") }

// Type names the value in help.
func (c *colour) Type() string { return "when" }

// Set takes the value of --color.
func (c *colour) Set(s string) error {
	switch s {
	case "auto", "always", "never":
		*c = colour(s)
		return nil
	}
	return usage("want auto, always or never")
}

// states paint the cells of a column of states: what needs a person, what went
// wrong, what works.
func (a *app) states() map[string]func(string) string {
	look := a.look()
	marks := []struct {
		words []string
		paint func(string) string
	}{
		{[]string{"to answer", "held", "paused ("}, look.Ask},
		{[]string{"failed", "timed_out", "revoked", "offline", "archived", "expired"}, look.Bad},
		{[]string{"working", "online", "enabled"}, look.Good},
	}
	return map[string]func(string) string{"STATE": func(cell string) string {
		for _, m := range marks {
			for _, w := range m.words {
				if strings.Contains(cell, w) {
					return m.paint(cell)
				}
			}
		}
		return cell
	}}
}
