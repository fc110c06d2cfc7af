package plug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// secretSources say by name where values come from.
type secretSources map[string]secretSource

// A secretSource is where one value comes from, on the runner's machine: one of
// its fields.
type secretSource struct {
	env     string
	file    string
	command commandLine // providers too
	from    string      // as blaise.yml says it, for errors
}

const maxSecret = 1 << 20

// providers are commands that print a value, by what blaise.yml says of it.
var providers = map[string]func(ref string) (commandLine, error){
	"op": func(ref string) (commandLine, error) {
		if !strings.HasPrefix(ref, "op://") {
			return nil, errors.New("want op://VAULT/ITEM/FIELD")
		}
		return commandLine{"op", "read", "--no-newline", ref}, nil
	},
	"vault": func(ref string) (commandLine, error) {
		path, field, ok := strings.Cut(ref, "#")
		if !ok || path == "" || field == "" {
			return nil, errors.New("want PATH#FIELD")
		}
		return commandLine{"vault", "kv", "get", "-field=" + field, path}, nil
	},
	"sops": func(ref string) (commandLine, error) {
		file, key, ok := strings.Cut(ref, "#")
		if !ok || file == "" || key == "" {
			return nil, errors.New("want FILE#KEY, or FILE#KEY.KEY")
		}
		return commandLine{"sops", "--decrypt", "--extract", `["` + strings.ReplaceAll(key, ".", `"]["`) + `"]`, file}, nil
	},
}

// UnmarshalYAML reads NAME: {KIND: ...} for each value.
func (all *secretSources) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("want NAME: {env: VARIABLE} for each value")
	}
	*all = secretSources{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if !variable.MatchString(name) {
			return fmt.Errorf("%q is no name for a variable", name)
		}
		if _, twice := (*all)[name]; twice {
			return fmt.Errorf("%s stands here twice", name)
		}
		source, err := readSource(resolve(n.Content[i+1]))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		(*all)[name] = source
	}
	return nil
}

func readSource(n *yaml.Node) (secretSource, error) {
	kinds := append(slices.Sorted(maps.Keys(providers)), "env", "file", "command")
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return secretSource{}, fmt.Errorf("want one of {%s: ...}", strings.Join(kinds, ": ...}, {"))
	}
	kind, value := n.Content[0].Value, resolve(n.Content[1])
	var s secretSource
	if kind == "command" {
		err := s.command.UnmarshalYAML(value)
		s.from = "command " + s.command.String()
		return s, err
	}
	if value.Kind != yaml.ScalarNode || value.Value == "" || strings.HasPrefix(value.Value, "-") {
		return s, fmt.Errorf("%s: want a text that does not begin with -", kind)
	}
	s.from = kind + " " + value.Value
	var err error
	switch provider, known := providers[kind]; {
	case kind == "env" && strings.HasPrefix(value.Value, "BLAISE_"):
		err = errors.New("env: the runner's own variables are not for agents")
	case kind == "env":
		s.env = value.Value
	case kind == "file":
		s.file = value.Value
	case !known:
		err = fmt.Errorf("unknown source %q%s: sources are %s", kind, suggest(kind, kinds), strings.Join(kinds, ", "))
	default:
		if s.command, err = provider(value.Value); err != nil {
			err = fmt.Errorf("%s: %w", kind, err)
		}
	}
	return s, err
}

// read reads all values, and registers each.
func (all secretSources) read(ctx context.Context, s Scope) (map[string]string, error) {
	values := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value, err := all[name].read(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%w: secret %s (%s): %w", ErrRefused, name, all[name].from, err)
		}
		s.Secret(value)
		if len(strings.TrimSpace(value)) < shortestSecret {
			note(s, "secret %s is so short that it cannot be taken out of the record", name)
		}
		values[name] = value
	}
	return values, nil
}

// missing says which values cannot be had.
func (all secretSources) missing(host Place) []string {
	var bad []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		why := ""
		switch src := all[name]; {
		case src.env != "":
			if _, ok := os.LookupEnv(src.env); !ok {
				why = "the runner has no variable " + src.env
			}
		case src.file != "":
			if _, err := os.Stat(hostPath(host, src.file)); err != nil {
				why = fmt.Sprintf("there is no file %q", src.file)
			}
		default:
			why = src.command.missing(host)
		}
		if why != "" {
			bad = append(bad, name+": "+why)
		}
	}
	return bad
}

// shortestSecret is the length from which on a value is redacted.
const shortestSecret = 6

func (src secretSource) read(ctx context.Context, s Scope) (value string, err error) {
	switch {
	case src.env != "":
		ok := false
		if value, ok = os.LookupEnv(src.env); !ok {
			return "", errors.New("the runner has no such variable")
		}
	case src.file != "":
		value, err = readSecretFile(hostPath(s.Host.Place(), src.file))
	default:
		value, err = src.run(ctx, s)
	}
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(value) == "":
		return "", errors.New("the value is empty")
	case strings.ContainsRune(value, 0):
		return "", errors.New("the value holds a NUL byte")
	}
	return value, nil
}

func readSecretFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err == nil && len(b) > maxSecret {
		err = errors.New("the file has more than 1 MB")
	}
	return string(b), err
}

// run has a command print the value. What it says on stderr is told only when
// it fails: it may be the value.
func (src secretSource) run(ctx context.Context, s Scope) (string, error) {
	said, stderr := &capped{most: maxSecret}, newOutput(s, true)
	err := runOnHost(ctx, s, Cmd{Args: src.command, Stdout: said, Stderr: stderr})
	if said.full {
		err = errors.New("it printed more than 1 MB")
	}
	if err != nil {
		return "", fmt.Errorf("%w%s", err, stderr.last())
	}
	return said.kept.String(), nil
}
