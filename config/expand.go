package config

import (
	"fmt"
	"regexp"
	"strings"

	"blaise.dev/blaise/internal/near"
)

// Values are what the placeholders of a text stand for.
type Values struct {
	Session     string
	Environment string
	Inputs      map[string]string // of the session, by name
}

var placeholder = regexp.MustCompile(`\{[A-Za-z][A-Za-z0-9_.-]*\}`)

// Expand fills in {session}, {environment} and {input.NAME}. Another name in
// braces, or an input that the session does not have, is an error; braces
// around anything else are text.
func Expand(text string, v Values) (string, error) {
	var err error
	out := placeholder.ReplaceAllStringFunc(text, func(p string) string {
		name := strings.Trim(p, "{}")
		value, found := v.lookup(name)
		if !found && err == nil {
			err = fmt.Errorf("expand %q: unknown %s%s", text, p, near.DidYouMean(name, v.names()))
		}
		return value
	})
	if err != nil {
		return "", err
	}
	return out, nil
}

func (v Values) lookup(name string) (string, bool) {
	switch name {
	case "session":
		return v.Session, true
	case "environment":
		return v.Environment, true
	}
	input, ok := strings.CutPrefix(name, "input.")
	if !ok {
		return "", false
	}
	value, ok := v.Inputs[input]
	return value, ok
}

func (v Values) names() []string {
	names := []string{"session", "environment"}
	for n := range v.Inputs {
		names = append(names, "input."+n)
	}
	return names
}
