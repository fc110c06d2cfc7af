package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/transcript"
)

// An installer brings the agent's program into the place where it is to live:
// by agent.install of blaise.yml, or, where a layer has programs of its own, by
// what the preset says. It works as the agent will: as its user, within its
// walls.
type installer struct {
	r       *run
	env     plug.Env
	program string
	lines   []string
}

// install sees to it that the agent's program is there, once in an environment
// and again when the lines have changed. What is there without them stays.
func (c *conversation) install(ctx context.Context) error {
	if c.err != nil {
		return refusal{c.err}
	}
	i := installer{r: c.r, env: c.r.stack.Env(), program: c.command.args[0], lines: c.offers.Install}
	own := c.r.stack.OwnPrograms()
	if line := c.command.preset.InstallCommand(); len(i.lines) == 0 && line != "" && own {
		i.lines = []string{line}
	}
	work := i.run
	switch {
	case own && c.command.preset.Name == "demo":
		work = i.bring
	case len(i.lines) == 0:
		return nil
	}
	limit := c.r.lease.Limits.Open
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not installed within limits.open = %v", limit))
	defer cancel()
	found, err := work(ctx)
	if err != nil {
		return fmt.Errorf("install agent %s: %w", c.command.name, err)
	}
	c.command.args = append([]string{found}, c.command.args[1:]...)
	return nil
}

// run answers how the agent's program is called then: by its path, for it may
// be where no other command looks.
func (i installer) run(ctx context.Context) (string, error) {
	at, by, err := i.look(ctx)
	if err != nil {
		return i.program, nil //nolint:nilerr // a place without a shell: its start says what is missing
	}
	sum := sha256.Sum256([]byte(strings.Join(i.lines, "\n")))
	want := hex.EncodeToString(sum[:])
	if at != "" && (by == "" || by == want) {
		return at, nil
	}
	for _, line := range i.lines {
		if err := i.do(ctx, line); err != nil {
			return "", err
		}
	}
	if at, _, err = i.look(ctx); err != nil {
		return "", err
	}
	if at == "" {
		e := blaise.Errorf(blaise.CodeRefused, "the lines have run, and there is no program %q", i.program)
		return "", refusal{e.WithHint("correct agent.install in blaise.yml: it must put the program into PATH or ~/.local/bin")}
	}
	return at, i.shell(ctx, `mkdir -p "${0%/*}" && printf %s "$1" >"$0"`, nil, nil, i.mark(), want)
}

// bring copies the demo agent, which is a part of this program, into a place
// that does not have it.
func (i installer) bring(ctx context.Context) (string, error) {
	place := i.env.Place()
	if place.OS != runtime.GOOS || place.Arch != runtime.GOARCH {
		e := blaise.Errorf(blaise.CodeRefused, "it is part of this program, which does not run on %s/%s", place.OS, place.Arch)
		return "", refusal{e.WithHint("choose a real agent: agent.use or agent.command in blaise.yml")}
	}
	program, err := os.Open(i.program)
	if err != nil {
		return "", err
	}
	defer program.Close()
	at := path.Join(place.Home, ".local/bin/blaise")
	err = i.shell(ctx, `[ -x "$0" ] || { mkdir -p "${0%/*}" && cat >"$0.half" && chmod 755 "$0.half" && mv "$0.half" "$0"; }`,
		program, nil, at)
	return at, err
}

// mark is a file beside what was installed, which lasts as long as that does.
func (i installer) mark() string {
	return path.Join(i.env.Place().Home, ".cache/blaise/installed", path.Base(i.program))
}

const lookFor = `command -v -- "$0" || echo
cat -- "$1" 2>/dev/null || :`

// look answers where the program is, "" for nowhere, and the digest of the
// lines that brought it, "" if it came by itself.
func (i installer) look(ctx context.Context) (at, by string, err error) {
	var out bytes.Buffer
	if err := i.shell(ctx, lookFor, nil, &out, i.program, i.mark()); err != nil {
		return "", "", err
	}
	at, by, _ = strings.Cut(out.String(), "\n")
	if !path.IsAbs(at) {
		at = ""
	}
	return at, by, nil
}

// do runs a line, and has the record show what it says.
func (i installer) do(ctx context.Context, line string) error {
	i.r.note(transcript.KindProgress, map[string]any{"what": "install the agent: " + line})
	out := &stderr{tell: i.r.record.tell, source: "agent.install"}
	err := i.shell(ctx, line, nil, out)
	out.end()
	if err != nil && ctx.Err() == nil {
		e := blaise.Errorf(blaise.CodeRefused, "%s: %v; its last output:\n%s", line, err, out.tail.Last(10))
		return refusal{e.WithHint("correct agent.install in blaise.yml, or bring the program with the image")}
	}
	return err
}

// homeBin is for the programs that a user installs: it needs no root, and lasts
// as long as the home does. Package managers are told so.
const homeBin = `PATH=$HOME/.local/bin:$PATH npm_config_prefix=$HOME/.local PIP_USER=1
export PATH npm_config_prefix PIP_USER
`

// shell runs a script of that place's shell; $0 and on are args. It gets no
// secrets.
func (i installer) shell(ctx context.Context, script string, in io.Reader, out io.Writer, args ...string) error {
	c := plug.Cmd{
		Args: append([]string{"sh", "-ec", homeBin + script}, args...), Env: i.r.plainEnv, Stdin: in, Stdout: out,
	}
	if _, shown := out.(*stderr); shown {
		c.Stderr = out
	}
	return plug.Run(ctx, i.env, c)
}
