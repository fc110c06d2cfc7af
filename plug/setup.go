package plug

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"blaise.dev/blaise/transcript"
)

type setupConfig struct {
	Once   scriptLines `yaml:"once" doc:"shell lines, run inside when the environment is new, and again when key has changed"`
	Always scriptLines `yaml:"always" doc:"shell lines, run inside in every run, after once"`
	Key    []string    `yaml:"key" doc:"files that decide whether once runs again, such as package-lock.json or */go.sum"`
}

// scriptLines are lines for the shell of a place; a single one needs no list.
type scriptLines []string

// UnmarshalYAML reads one line or several.
func (l *scriptLines) UnmarshalYAML(n *yaml.Node) error {
	var lines []string
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		lines = []string{n.Value}
	} else if n.Kind != yaml.SequenceNode || n.Decode(&lines) != nil {
		return errors.New("want a line for the shell, or a list of them")
	}
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			return errors.New("a line is empty")
		}
	}
	*l = lines
	return nil
}

// A setup runs commands inside the place around it: what a fresh checkout needs
// before an agent can work. What they make is the place's; the plug keeps only
// the sum of what once depended on, in Scope.Dir.
type setup struct{ c setupConfig }

var _ Plug = (*setup)(nil)

func newSetup(c setupConfig) (Plug, error) {
	if len(c.Once)+len(c.Always) == 0 {
		return nil, errors.New("it has nothing to run: give it once or always")
	}
	for _, pattern := range c.Key {
		switch {
		case pattern == "" || strings.HasPrefix(pattern, "/") || !filepath.IsLocal(pattern):
			return nil, fmt.Errorf("key %q: want a path within the workspace", pattern)
		case strings.Contains(pattern, "**"):
			return nil, fmt.Errorf("key %q: ** is not known; write each level, as in */package-lock.json", pattern)
		}
	}
	return &setup{c: c}, nil
}

// Open runs what is due. An environment in which once did not come to its end
// runs it again, from its first line.
func (p *setup) Open(ctx context.Context, s Scope, outer Env) (Env, error) {
	if len(p.c.Once) > 0 {
		if err := p.once(ctx, s, outer); err != nil {
			return nil, err
		}
	}
	return outer, p.run(ctx, s, outer, "always", p.c.Always)
}

// Destroy has only its own notes to remove.
func (p *setup) Destroy(_ context.Context, s Scope) error {
	if err := os.Remove(filepath.Join(s.Dir, doneFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// doneFile says with which sum once came to its end.
const doneFile = "done.json"

type done struct {
	Sum string `json:"sum"`
}

func (p *setup) once(ctx context.Context, s Scope, e Env) error {
	var was done
	path := filepath.Join(s.Dir, doneFile)
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &was)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read what is set up: %w", err)
	}
	sum, err := p.sum(ctx, s, e)
	if err != nil {
		return err
	}
	if was.Sum == sum {
		newOutput(s, true).tell("nothing has changed: once is not run again")
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := p.run(ctx, s, e, "once", p.c.Once); err != nil {
		return err
	}
	if sum, err = p.sum(ctx, s, e); err != nil { // an install may write its lock file
		return err
	}
	if b, err = json.Marshal(done{Sum: sum}); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// listKey prints the files of patterns, each with its name, where they are.
const listKey = `IFS=''
for pattern do
	found=
	for file in $pattern; do
		[ -f "$file" ] || continue
		found=1
		printf '%s\n' "$file"
		cat -- "$file"
	done
	[ "$found" ] || echo "key: no file is called $pattern" >&2
done`

// sum is of the lines of once and of the files of key, read inside.
func (p *setup) sum(ctx context.Context, s Scope, e Env) (string, error) {
	h := sha256.New()
	for _, line := range p.c.Once {
		fmt.Fprintf(h, "%d %s\n", len(line), line)
	}
	if len(p.c.Key) == 0 {
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	stderr := newOutput(s, false)
	err := Run(ctx, e, Cmd{
		Args: append([]string{"sh", "-c", listKey, "sh"}, p.c.Key...), Stdout: h, Stderr: stderr,
	})
	stderr.flush()
	if err != nil {
		return "", fmt.Errorf("read key: %w%s", err, stderr.last())
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// run runs lines in order and stops at the first that fails.
func (p *setup) run(ctx context.Context, s Scope, e Env, key string, lines []string) error {
	for i, line := range lines {
		s.Note(transcript.New(transcript.KindProgress, map[string]any{
			"what": line, "done": i, "total": len(lines), "unit": "commands", "plug": s.ID,
		}))
		out := newOutput(s, false)
		err := Run(ctx, e, Cmd{Args: []string{"sh", "-ec", line}, Stdout: out, Stderr: out})
		out.flush()
		if err != nil {
			return theirs{fmt.Errorf("%s, line %d of %d (%s): %w%s", key, i+1, len(lines), line, err, out.last())}
		}
	}
	return nil
}

// Run runs a command of a place to its end, and ends all that it started. It
// answers nil if the command exited with 0.
func Run(ctx context.Context, e Env, c Cmd) error {
	p, err := e.Start(ctx, c)
	if err != nil {
		return err
	}
	return await(ctx, p)
}
