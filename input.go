package blaise

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An Input is a value that an agent wants to be given with a session. It goes
// where the runner's blaise.yml says {input.NAME}.
type Input struct {
	Type        string   // string (""), number, boolean
	Description string   // for people
	Default     string   // "" for none
	Required    bool     // a session without it is refused
	Pattern     string   // a regular expression that the whole value matches
	Enum        []string // the values there are
}

// Inputs are those that an agent declares, by name.
type Inputs map[string]Input

var (
	inputName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)
	// plainInput is what a string may be unless its agent says more: it means
	// nothing to a shell, is no option of a command and leads nowhere up.
	plainInput = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./@:+,=-]*$`)
)

// maxInput is the longest value of an input in bytes.
const maxInput = 4 << 10

// Check says what is wrong with the declarations, nil if nothing is.
func (all Inputs) Check() error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		in := all[name]
		if !inputName.MatchString(name) {
			return Errorf(CodeInvalid, "inputs: %q is not a name", name).
				WithHint("use letters, digits, - and _, and begin with a letter")
		}
		if !slices.Contains([]string{"", "string", "number", "boolean"}, in.Type) {
			return Errorf(CodeInvalid, "inputs.%s.type: %q is none of string, number, boolean", name, in.Type)
		}
		if _, err := regexp.Compile(in.Pattern); err != nil {
			return Errorf(CodeInvalid, "inputs.%s.pattern: %v", name, err)
		}
		if in.Default == "" {
			continue
		}
		if err := in.check(name, in.Default); err != nil {
			return Errorf(CodeInvalid, "inputs.%s.default: %s", name, err.Message)
		}
	}
	return nil
}

// Fill answers the inputs of a session: what was set, else the defaults. An
// input that is neither set nor has a default is "". CodeInvalid says which
// value is wrong, and what it may be.
func (all Inputs) Fill(set map[string]string) (map[string]string, error) {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if _, ok := all[name]; !ok {
			return nil, Errorf(CodeInvalid, "the agent has no input %q", name).WithHint("%s", all.hint(name))
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	filled := make(map[string]string, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		in := all[name]
		value, given := set[name]
		switch {
		case given && value != "":
			if err := in.check(name, value); err != nil {
				return nil, err
			}
		case in.Required && in.Default == "":
			return nil, Errorf(CodeInvalid, "the agent needs the input %q%s", name, because(in.Description)).
				WithHint("start with --set %s=%s", name, in.Wants())
		default:
			value = in.Default
		}
		filled[name] = value
	}
	return filled, nil
}

// Missing are the inputs that a session must be given and was not, by name.
func (all Inputs) Missing(set map[string]string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if in := all[name]; in.Required && in.Default == "" && set[name] == "" {
			names = append(names, name)
		}
	}
	return names
}

func (all Inputs) hint(missing string) string {
	if missing == "repo" {
		return "its repository is the one that blaise.yml of the runner names: leave --repo out, or declare an input repo " +
			"in the agent's manifest, and in blaise.yml a worktree with repo: \"{input.repo}\""
	}
	if len(all) == 0 {
		return "it declares no inputs: leave --set out"
	}
	return "its inputs are " + strings.Join(slices.Sorted(maps.Keys(all)), ", ")
}

// check says why value cannot be the input's.
func (in Input) check(name, value string) *Error {
	ok := true
	switch in.Type {
	case "number":
		_, err := strconv.ParseFloat(value, 64)
		ok = err == nil
	case "boolean":
		ok = value == "true" || value == "false"
	}
	switch {
	case len(value) > maxInput:
		return Errorf(CodeInvalid, "input %s: %d bytes are more than the %d allowed", name, len(value), maxInput)
	case !ok || !in.offers(value):
		return Errorf(CodeInvalid, "input %s: %q is not one of its values", name, value).WithHint("it takes %s", in.Wants())
	case in.Pattern != "" && !matchesWhole(in.Pattern, value):
		return Errorf(CodeInvalid, "input %s: %q does not match %s", name, value, in.Pattern)
	case in.free() && (!plainInput.MatchString(value) || strings.Contains(value, "..")):
		return Errorf(CodeInvalid, "input %s: %q has signs that a command could misread", name, value).
			WithHint("letters, digits and _./@:+,=- are taken; a pattern in the agent's manifest allows others")
	}
	return nil
}

// free says that the manifest sets no bounds to the text.
func (in Input) free() bool {
	return (in.Type == "" || in.Type == "string") && in.Pattern == "" && len(in.Enum) == 0
}

func (in Input) offers(value string) bool {
	return len(in.Enum) == 0 || slices.Contains(in.Enum, value)
}

func matchesWhole(pattern, value string) bool {
	r, err := regexp.Compile(`\A(?:` + pattern + `)\z`)
	return err == nil && r.MatchString(value)
}

// Wants says what the input may be, in a word.
func (in Input) Wants() string {
	switch {
	case len(in.Enum) > 0:
		return strings.Join(in.Enum, "|")
	case in.Type == "boolean":
		return "true|false"
	case in.Type == "number":
		return "NUMBER"
	}
	return "TEXT"
}
