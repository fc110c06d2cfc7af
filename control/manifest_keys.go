package control

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"blaise.dev/blaise/internal/near"

	"gopkg.in/yaml.v3"
)

// checkKeys finds the keys of a manifest that are not known, and the values of
// the wrong kind: each with its line, what was meant, and the keys of the place.
// All there is to know stands in the structs that the manifest is read into.
func checkKeys(n *yaml.Node, where string, t reflect.Type) []string {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case t == reflect.TypeFor[wordList]() && n.Kind == yaml.ScalarNode:
		return nil
	case n.Kind == yaml.DocumentNode:
		return checkKeys(n.Content[0], where, t)
	case n.Tag == "!!null":
		return nil // as if it were not there
	case t.Kind() == reflect.Struct:
		return checkFields(n, where, t)
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
		return checkEntries(n, where, t.Elem())
	case t.Kind() == reflect.Map:
		return checkMap(n, where)
	case t.Kind() == reflect.Slice:
		return checkList(n, where, t.Elem())
	case t.Kind() == reflect.String && n.Kind != yaml.ScalarNode:
		return []string{wrongKind(n, where, "a single value")}
	case t == reflect.TypeFor[duration]():
		if _, err := ParseDuration(n.Value); err != nil {
			return []string{fmt.Sprintf("line %d: %s: %v", n.Line, where, err)}
		}
	case t == reflect.TypeFor[limit]():
		if _, err := parseLimit(n.Value); err != nil {
			return []string{fmt.Sprintf("line %d: %s: %v", n.Line, where, err)}
		}
	case t.Kind() == reflect.Int && n.Tag != "!!int":
		return []string{wrongKind(n, where, "a whole number")}
	case t.Kind() == reflect.Bool && n.Tag != "!!bool":
		return []string{wrongKind(n, where, "true or false")}
	}
	return nil
}

func checkFields(n *yaml.Node, where string, t reflect.Type) []string {
	keys, types := keysOf(t)
	if n.Kind != yaml.MappingNode {
		return []string{wrongKind(n, where, "the keys "+strings.Join(keys, ", "))}
	}
	var bad []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		inside := strings.TrimPrefix(where+"."+key.Value, ".")
		switch at := slices.Index(keys, key.Value); {
		case key.Value == "<<":
		case at >= 0:
			bad = append(bad, checkKeys(value, inside, types[at])...)
		case slices.Contains(laterParts, key.Value):
			bad = append(bad, fmt.Sprintf("line %d: %s is not enforced by this version; leave it out", key.Line, inside))
		default:
			bad = append(bad, fmt.Sprintf("line %d: unknown key %q%s%s (keys here: %s)", key.Line, key.Value,
				in(where), near.DidYouMean(key.Value, keys), strings.Join(keys, ", ")))
		}
	}
	return bad
}

func checkMap(n *yaml.Node, where string) []string {
	if n.Kind != yaml.MappingNode {
		return []string{wrongKind(n, where, "keys and values, such as {os: linux}")}
	}
	var bad []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1].Kind == yaml.MappingNode || n.Content[i+1].Kind == yaml.SequenceNode {
			bad = append(bad, wrongKind(n.Content[i+1], where+"."+n.Content[i].Value, "a single value"))
		}
	}
	return bad
}

// checkEntries are those of a map whose values have keys of their own.
func checkEntries(n *yaml.Node, where string, t reflect.Type) []string {
	if n.Kind != yaml.MappingNode {
		return []string{wrongKind(n, where, "names, each with its keys")}
	}
	var bad []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		bad = append(bad, checkKeys(n.Content[i+1], where+"."+n.Content[i].Value, t)...)
	}
	return bad
}

func checkList(n *yaml.Node, where string, t reflect.Type) []string {
	if n.Kind != yaml.SequenceNode {
		return []string{wrongKind(n, where, "a list, such as [30s, 2m]")}
	}
	var bad []string
	for _, e := range n.Content {
		bad = append(bad, checkKeys(e, where, t)...)
	}
	return bad
}

// keysOf are the keys that a struct is read from, and the types of their values.
func keysOf(t reflect.Type) (keys []string, types []reflect.Type) {
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("yaml"))
		types = append(types, t.Field(i).Type)
	}
	return keys, types
}

func wrongKind(n *yaml.Node, where, want string) string {
	if where == "" {
		where = "the manifest"
	}
	return fmt.Sprintf("line %d: %s: want %s", n.Line, where, want)
}

func in(where string) string {
	if where == "" {
		return ""
	}
	return " in " + where
}
