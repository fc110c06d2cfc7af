package main

// A colour says when there are colours: always, never, or as the terminal and
// its user want it.
type colour string

// String is the value of --color.
func (c *colour) String() string { return or(string(*c), "auto") }

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
