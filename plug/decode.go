package plug

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"blaise.dev/blaise/internal/near"

	"gopkg.in/yaml.v3"
)

// A ConfigError is something wrong in a spec, with the place where it stands;
// Line is 0 if the spec came from no file.
type ConfigError struct {
	Line, Column int
	Text         string
}

func (e *ConfigError) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

func errorAt(n *yaml.Node, format string, args ...any) error {
	return &ConfigError{Line: n.Line, Column: n.Column, Text: fmt.Sprintf(format, args...)}
}

// A Key documents one key of a plug's configuration.
type Key struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Default string `json:"default,omitempty"`
	Doc     string `json:"doc"`
}

// decode fills the struct that to points to from the spec's keys. Unknown and
// double keys and wrong types are errors with their place. The struct's fields
// carry tags: yaml, doc and default.
func (s Spec) decode(to any) error {
	v := reflect.ValueOf(to).Elem()
	fields := map[string]reflect.Value{}
	names := []string{"use", "id"}
	for _, k := range keysOf(to) {
		names = append(names, k.Name)
	}
	for i := range v.NumField() {
		fields[v.Type().Field(i).Tag.Get("yaml")] = v.Field(i)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(s.Config.Content); i += 2 {
		key, value := s.Config.Content[i], s.Config.Content[i+1]
		if seen[key.Value] {
			return errorAt(key, "key %q stands here twice", key.Value)
		}
		seen[key.Value] = true
		field, ok := fields[key.Value]
		switch {
		case key.Value == "use", key.Value == "id":
		case !ok:
			return errorAt(key, "unknown key %q%s: keys of %s: %s", key.Value,
				suggest(key.Value, names), s.Use, strings.Join(names[2:], ", "))
		default:
			if err := decodeValue(resolve(value), field); err != nil {
				return errorAt(value, "%s: %v", key.Value, err)
			}
		}
	}
	return nil
}

// decodeValue refuses what yaml.v3 would let through: a number for a string.
func decodeValue(n *yaml.Node, field reflect.Value) error {
	if field.Kind() == reflect.String && (n.Kind != yaml.ScalarNode || n.Tag != "!!str") {
		return fmt.Errorf("want a string, in quotes if it looks like something else")
	}
	err := n.Decode(field.Addr().Interface())
	var te *yaml.TypeError
	if errors.As(err, &te) {
		return fmt.Errorf("want %s", typeName(field.Type()))
	}
	return err
}

// keysOf are the documented keys of a configuration struct.
func keysOf(config any) []Key {
	if config == nil {
		return nil
	}
	t := reflect.TypeOf(config).Elem()
	var keys []Key
	for i := range t.NumField() {
		f := t.Field(i)
		keys = append(keys, Key{
			Name: f.Tag.Get("yaml"), Type: typeName(f.Type),
			Default: f.Tag.Get("default"), Doc: f.Tag.Get("doc"),
		})
	}
	return keys
}

func typeName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[commandLine]():
		return "a shell line or a list"
	case reflect.TypeFor[scriptLines]():
		return "a shell line or several"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a mapping"
	}
	return "a string"
}

// suggest answers " (did you mean ...?)" for the nearest name, or nothing.
func suggest(name string, names []string) string {
	best := near.Word(name, names)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
