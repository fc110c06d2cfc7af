package plug

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// A commandLine is a command of blaise.yml: a list is a program with its
// arguments, a text a line for the shell.
type commandLine []string

// UnmarshalYAML reads either form.
func (c *commandLine) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && strings.TrimSpace(n.Value) != "" {
		*c = commandLine{"sh", "-c", n.Value}
		return nil
	}
	var args []string
	if n.Kind != yaml.SequenceNode || n.Decode(&args) != nil || len(args) == 0 || args[0] == "" {
		return errors.New(`want a line for the shell, or a list: [program, "argument"]`)
	}
	*c = args
	return nil
}

// String is the command as a person would write it.
func (c commandLine) String() string {
	if len(c) == 3 && c[0] == "sh" && c[1] == "-c" {
		return c[2]
	}
	return strings.Join(c, " ")
}

// interpreters run the file that is their first argument.
var interpreters = regexp.MustCompile(`^(\.|source|env|exec|sh|(ba|da|k|z)sh|python[0-9.]*|node|deno|bun|perl|ruby|php|lua|pwsh)$`)

// programs are the files of the host that the command would run: those that are
// executable, and what an interpreter is given.
func (c commandLine) programs(host Place) []string {
	var files []string
	interpreted := false
	for _, word := range strings.FieldsFunc(strings.Join(c, " "), func(r rune) bool {
		return strings.ContainsRune(" \t\n;&|<>()\"'`", r)
	}) {
		path := hostPath(host, word)
		st, err := os.Stat(path)
		if err == nil && st.Mode().IsRegular() && (interpreted || st.Mode()&0o111 != 0) {
			files = append(files, path)
		}
		interpreted = interpreters.MatchString(filepath.Base(word)) ||
			interpreted && strings.HasPrefix(word, "-")
	}
	return files
}

// A hostRunner is a plug that runs commands of blaise.yml on the host.
type hostRunner interface {
	commands() []commandLine
}

// writable is the first program that a command of the plugs would run and the
// agent can write: it would decide what runs on this machine.
func (s *Stack) writable() (l *layer, file, dir string) {
	if dir = s.agentDir(); dir == "" {
		return nil, "", ""
	}
	for _, l := range s.layers {
		runner, ok := l.plug.(hostRunner)
		if !ok || l.removed {
			continue
		}
		for _, c := range runner.commands() {
			for _, file := range c.programs(s.o.Host.Place()) {
				if insideOf(dir, file) {
					return l, file, dir
				}
			}
		}
	}
	return nil, "", ""
}

// agentDir is the directory of this machine that the agent works in, or that a
// layer which leaves the machine begins with.
func (s *Stack) agentDir() string {
	for i := len(s.layers) - 1; i >= 0; i-- {
		if env := s.layers[i].env; env != nil && onHost(env) {
			return env.Place().Dir
		}
	}
	return ""
}

func insideOf(dir, file string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	_, inside := below(dir, file)
	return inside
}
