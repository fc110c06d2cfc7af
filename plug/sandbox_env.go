package plug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"blaise.dev/blaise/internal/shim"
	"blaise.dev/blaise/internal/shim/jail"
)

// A sandboxEnv is the inside of a sandbox. Names are the same inside as
// outside; what is not shown has none.
type sandboxEnv struct {
	outer Env
	spec  jail.Spec
	keep  []string // variables to let in
}

var _ Env = (*sandboxEnv)(nil)

func (e *sandboxEnv) Place() Place {
	p := e.outer.Place()
	p.Home = e.spec.Home
	return p
}

// Start runs c in a sandbox of its own. What went wrong in the making of it is
// an error of Start.
func (e *sandboxEnv) Start(ctx context.Context, c Cmd) (Process, error) {
	if len(c.Args) == 0 {
		return nil, errors.New("start command: no arguments")
	}
	spec, place := e.spec, e.outer.Place()
	spec.Dir = place.abs(c.Dir)
	c.Env = mergeEnv([]string{"HOME=" + spec.Home}, c.Env)
	spec.Keep = names(e.keep, place.Env, c.Env)
	w := newWord(spec.Nonce, c.Stderr)
	if sameWriter(c.Stdout, c.Stderr) {
		c.Stdout = w
	}
	c.Stderr, c.Dir = w, place.Dir
	name := c.Args[0]
	c.Args = append([]string{spec.Shim, "shim", "sandbox", spec.String(), "--"}, c.Args...)
	p, err := e.outer.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := w.await(ctx, p); err != nil {
		return nil, fmt.Errorf("start %q in sandbox: %w", name, err)
	}
	return p, nil
}

// names are the names of the variables in lists of KEY=VALUE or KEY.
func names(lists ...[]string) []string {
	var all []string
	for _, kv := range slices.Concat(lists...) {
		name, _, _ := strings.Cut(kv, "=")
		all = append(all, name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A word takes the output of a command and finds in it the line that its
// sandbox says: whether the command runs. The rest goes on to where it was to.
type word struct {
	mark string
	to   io.Writer
	held []byte
	said chan string // the line, once
	done bool
}

func newWord(nonce string, to io.Writer) *word {
	if to == nil {
		to = io.Discard
	}
	return &word{mark: shim.Word(nonce), to: to, said: make(chan string, 1)}
}

// maxHeld is more than a command can write before the sandbox has said that it
// started it; what comes then comes through.
const maxHeld = 1 << 20

func (w *word) Write(b []byte) (int, error) {
	if w.done {
		return w.to.Write(b)
	}
	w.held = append(w.held, b...)
	before, after, found := strings.Cut(string(w.held), w.mark)
	line, rest, whole := strings.Cut(after, "\n")
	switch {
	case found && whole:
		w.said <- line
		return len(b), w.release([]byte(before + rest))
	case len(w.held) > maxHeld:
		w.said <- "started"
		return len(b), w.release(w.held)
	}
	return len(b), nil
}

func (w *word) release(held []byte) error {
	w.done, w.held = true, nil
	if len(held) == 0 {
		return nil
	}
	_, err := w.to.Write(held)
	return err
}

// await returns when the command runs, or with why it does not; then nothing of
// it is left.
func (w *word) await(ctx context.Context, p Process) error {
	ended := make(chan struct{})
	go func() { // ends with the process
		defer close(ended)
		_, _ = p.Wait()
	}()
	var err error
	select {
	case line := <-w.said:
		err = saidError(line)
	case <-ended:
		err = w.last()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = p.Kill()
		<-ended
	}
	return err
}

// last is what became of a sandbox that has ended.
func (w *word) last() error {
	select {
	case line := <-w.said:
		return saidError(line)
	default:
		return fmt.Errorf("the sandbox ended before its command began: %s", strings.TrimSpace(string(w.held)))
	}
}

func saidError(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	if verb == "started" {
		return nil
	}
	kind, text, _ := strings.Cut(rest, " ")
	err := shim.StartError(kind, text)
	if errors.Is(err, ErrCommandNotFound) {
		return fmt.Errorf("%w: where it is must be among what the sandbox shows: see read in blaise.yml", err)
	}
	return err
}
