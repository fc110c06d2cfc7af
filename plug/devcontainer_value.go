package plug

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// A devMount is a mount of a devcontainer.json: an object, or a text as
// "source=a,target=/b,type=volume".
type devMount struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Type   string `json:"type"`
}

// UnmarshalJSON reads either form.
func (m *devMount) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) != nil {
		type object devMount
		return json.Unmarshal(b, (*object)(m))
	}
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "source", "src":
			m.Source = value
		case "target", "dst", "destination":
			m.Target = value
		case "type":
			m.Type = value
		}
	}
	return nil
}

// A devCommand is a command of a devcontainer.json: a line for the shell, a
// program with its arguments, or several of them by name.
type devCommand struct{ lines []string }

// UnmarshalJSON reads the three forms.
func (c *devCommand) UnmarshalJSON(b []byte) error {
	var line string
	var args []string
	var named map[string]devCommand
	switch {
	case json.Unmarshal(b, &line) == nil:
		c.lines = nil
		if line != "" {
			c.lines = []string{line}
		}
	case json.Unmarshal(b, &args) == nil && len(args) > 0:
		c.lines = []string{quoted(args)}
	case json.Unmarshal(b, &named) == nil:
		for _, name := range slices.Sorted(maps.Keys(named)) {
			c.lines = append(c.lines, named[name].lines...)
		}
	default:
		return errors.New("want a command: a line, a list, or several by name")
	}
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads.
func (c devCommand) MarshalJSON() ([]byte, error) {
	return json.Marshal(strings.Join(c.lines, "\n"))
}

// quoted is a list of arguments as a line for the shell.
func quoted(args []string) string {
	var words []string
	for _, a := range args {
		words = append(words, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	return strings.Join(words, " ")
}
