package plug

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A hook is one moment of an exec plug.
type hook struct {
	name   string
	line   commandLine
	memory *memory
	outer  Env // nil where nothing is open
}

// A question is what a hook reads on its stdin, one JSON document.
type question struct {
	Hook        string          `json:"hook"`
	Session     string          `json:"session"`
	Environment string          `json:"environment"`
	Plug        string          `json:"plug"`
	Key         string          `json:"key"`
	State       json.RawMessage `json:"state"` // null before the first answer
	Outer       *outerPlace     `json:"outer"` // null where nothing is open
}

// An outerPlace is the place that the plug's layer goes into.
type outerPlace struct {
	Dir  string `json:"dir"`
	Home string `json:"home"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
	Host bool   `json:"host"` // its paths are paths of this machine
}

// An answer is what a hook writes on its stdout: one JSON object, or nothing.
type answer struct {
	State   json.RawMessage   `json:"state"`
	Env     map[string]string `json:"env"`
	Dir     string            `json:"dir"`
	Secrets map[string]string `json:"secrets"`
	Message string            `json:"message"`
	Gone    bool              `json:"gone"`
}

const maxHookAnswer = 1 << 20

// run runs the hook on the host, under a shim of its own: whatever it leaves
// running ends with it. Its stderr is told when its secrets are known.
func (h hook) run(ctx context.Context, s Scope) (answer, error) {
	asked, err := json.Marshal(h.question(s))
	if err != nil {
		return answer{}, fmt.Errorf("%s: ask: %w", h.name, err)
	}
	said := &capped{most: maxHookAnswer}
	stderr := newOutput(s, true)
	err = runOnHost(ctx, s, Cmd{
		Args: h.line, Env: hookVars(s, h.name, h.memory), Stdin: bytes.NewReader(asked),
		Stdout: said, Stderr: stderr,
	})
	var a answer
	switch {
	case said.full:
		err = errors.New("it answered more than 1 MB")
	case err == nil:
		if a, err = parseAnswer(said.kept.Bytes()); err != nil {
			err = fmt.Errorf("exit code 0, and %w", err)
		}
	}
	if err != nil {
		return a, fmt.Errorf("%s (%s): %w%s", h.name, h.line, err, stderr.last())
	}
	for _, value := range a.Secrets {
		s.Secret(value)
	}
	stderr.flush()
	if a.Message != "" {
		note(s, "%s", a.Message)
	}
	if a.Gone {
		return a, fmt.Errorf("%s (%s): %w", h.name, h.line, ErrGone)
	}
	return a, nil
}

func (h hook) question(s Scope) question {
	q := question{Hook: h.name, Session: s.Session, Environment: s.Environment, Plug: s.ID,
		Key: h.memory.Key, State: h.memory.State}
	if h.outer != nil {
		p := h.outer.Place()
		q.Outer = &outerPlace{Dir: p.Dir, Home: p.Home, OS: p.OS, Arch: p.Arch, Host: onHost(h.outer)}
	}
	return q
}

// hookVars are the same for a shell that reads no JSON. A state that is a text
// stands there without its quotes.
func hookVars(s Scope, name string, m *memory) []string {
	state := string(m.State)
	var text string
	if json.Unmarshal(m.State, &text) == nil {
		state = text
	}
	return []string{"BLAISE_HOOK=" + name, "BLAISE_SESSION=" + s.Session, "BLAISE_ENVIRONMENT=" + s.Environment,
		"BLAISE_PLUG=" + s.ID, "BLAISE_KEY=" + m.Key, "BLAISE_STATE=" + state}
}

// runOnHost runs a command of blaise.yml to its end. The end of ctx kills it,
// and its own end all that it started. A program that is not there is
// ErrRefused: nothing of the environment is broken.
func runOnHost(ctx context.Context, s Scope, c Cmd) error {
	err := Run(ctx, s.Host, c)
	if errors.Is(err, ErrCommandNotFound) || errors.Is(err, ErrNotRunnable) {
		return fmt.Errorf("%w: program %q: %w: install it on the runner's machine, or correct blaise.yml",
			ErrRefused, c.Args[0], err)
	}
	return err
}

// await waits for a command that the end of ctx kills, and ends all that it
// started. What is not exit code 0 is an error.
func await(ctx context.Context, p Process) error {
	defer context.AfterFunc(ctx, func() { _ = p.Kill() })()
	exit, err := p.Wait()
	killed := p.Kill()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("killed: %w", context.Cause(ctx))
	case err != nil:
		return err
	case exit.Signal != "":
		return fmt.Errorf("killed by signal %s", exit.Signal)
	case exit.Code != 0:
		return fmt.Errorf("exit code %d", exit.Code)
	}
	return killed
}

// capped takes so much and refuses the rest: who writes on is cut off.
type capped struct {
	kept bytes.Buffer // a field: its ReadFrom would go around the limit
	most int
	full bool
}

func (c *capped) Write(p []byte) (int, error) {
	if c.full = c.full || c.kept.Len()+len(p) > c.most; c.full {
		return 0, errors.New("too much output")
	}
	return c.kept.Write(p)
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseAnswer refuses what is not exactly one object with the known keys.
func parseAnswer(said []byte) (answer, error) {
	var a answer
	if len(bytes.TrimSpace(said)) == 0 {
		return a, nil
	}
	dec := json.NewDecoder(bytes.NewReader(said))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return a, fmt.Errorf("what it answered on stdout is not the JSON object wanted (%w): %s", err, beginning(said))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return a, fmt.Errorf("it answered more than one JSON object on stdout: %s", beginning(said))
	}
	for _, vars := range []map[string]string{a.Env, a.Secrets} {
		for name, value := range vars {
			if !variable.MatchString(name) || strings.ContainsRune(value, 0) {
				return a, fmt.Errorf("it answered a variable that no environment can hold: %q", name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		if _, both := a.Secrets[name]; both {
			return a, fmt.Errorf("it answered %s in env and in secrets", name)
		}
	}
	return a, nil
}

func beginning(said []byte) string {
	text := strings.ToValidUTF8(strings.TrimSpace(string(said)), "\uFFFD")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}
