package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Progress is how far a long command is.
type Progress struct {
	What        string // in git's words: "Updating files"
	Done, Total int64
}

var progressLine = regexp.MustCompile(`^(?:remote: )?([A-Z][A-Za-z ]+):\s+\d+% \((\d+)/(\d+)\)`)

// A command is one run of git.
type command struct {
	dir      string
	args     []string
	config   []string // KEY=VALUE for -c
	env      []string // all of it
	more     []string // variables beside those of a trusted repository
	stdin    io.Reader
	progress func(Progress)
	warnings *string // takes the end of stderr where git succeeds
	far      bool    // it goes to another machine, which has a say on stderr
	most     int64   // of stdout: git is ended when it has more; 0: all
	cut      *bool   // set where it had, with most
}

// run answers what git wrote to stdout. When ctx ends git is told to stop, so
// that it takes its lock files with it, and killed if it does not.
func (c command) run(ctx context.Context) (string, error) {
	var full []string
	for _, kv := range c.config {
		full = append(full, "-c", kv)
	}
	cmd := exec.CommandContext(ctx, "git", append(full, c.args...)...)
	stdout := &head{most: c.most}
	stderr := &stderrWriter{progress: c.progress}
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, c.env, c.stdin
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = dieWithParent()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	// The parent in "die with the parent" is a thread: keep it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	if stdout.full && ctx.Err() == nil {
		*c.cut, err = true, nil
	}
	if err == nil {
		if c.warnings != nil {
			*c.warnings = stderr.text.String()
		}
		return stdout.text.String(), nil
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return stdout.text.String(), c.fail(err, stderr.text.String())
}

// A head takes the first bytes of an output, and then no more: who writes has
// its pipe closed.
type head struct {
	text bytes.Buffer // no part of it: its ReadFrom would take all
	most int64        // 0: all
	full bool         // there was more
}

var errFull = errors.New("enough was read")

func (h *head) Write(b []byte) (int, error) {
	if room := h.most - int64(h.text.Len()); h.most > 0 && int64(len(b)) > room {
		h.full = true
		n, _ := h.text.Write(b[:room])
		return n, errFull
	}
	return h.text.Write(b)
}

func (c command) fail(err error, stderr string) error {
	e := &Error{Verb: c.verb(), Dir: c.dir, Stderr: tail(stderr)}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		e.Kind, e.Hint = ErrNoGit, "install git 2.38 or later"
		return e
	case errors.As(err, &exit):
		e.Code = exit.ExitCode()
		return e.classify(ownWords(linesOf(stderr), c.far))
	}
	if _, statErr := os.Stat(c.dir); statErr != nil {
		e.Kind = ErrNotRepository
	}
	e.Stderr = err.Error()
	return e
}

// verb names the command as far as its first option.
func (c command) verb() string {
	words := []string{"git"}
	for _, a := range c.args {
		if strings.HasPrefix(a, "-") || len(words) == 3 || strings.ContainsAny(a, "/:") {
			break
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// A stderrWriter keeps the end of stderr and tells progress.
type stderrWriter struct {
	progress func(Progress)
	text     bytes.Buffer
	line     []byte
}

func (w *stderrWriter) Write(b []byte) (int, error) {
	if w.text.Len() > 64<<10 {
		w.text.Next(32 << 10)
	}
	w.text.Write(b)
	if w.progress == nil {
		return len(b), nil
	}
	for _, c := range b {
		if c != '\r' && c != '\n' {
			w.line = append(w.line, c)
			continue
		}
		w.tell(string(w.line))
		w.line = w.line[:0]
	}
	return len(b), nil
}

func (w *stderrWriter) tell(line string) {
	m := progressLine.FindStringSubmatch(line)
	if m == nil {
		return
	}
	done, _ := strconv.ParseInt(m[2], 10, 64)
	total, _ := strconv.ParseInt(m[3], 10, 64)
	w.progress(Progress{What: m[1], Done: done, Total: total})
}

// own says that a variable is git's, or Blaise's with its secrets, which hooks
// and filters of a repository have no need of.
func own(key string) bool {
	return strings.HasPrefix(key, "GIT_") || strings.HasPrefix(key, "BLAISE_") || strings.HasPrefix(key, "OTEL_")
}

// cleanEnv is the process's environment without git's variables but those
// named: where the user's configuration and keys are.
func cleanEnv(keep ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		key, _, _ := strings.Cut(kv, "=")
		if !own(key) && key != "LC_ALL" {
			env = append(env, kv)
			continue
		}
		for _, k := range keep {
			if key == k {
				env = append(env, kv)
			}
		}
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_PROGRESS_DELAY=1")
}
