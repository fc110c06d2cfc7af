package plug

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
)

// A remoteQuestion is what a verb of a remote sandbox reads.
type remoteQuestion struct {
	Verb        string `json:"verb"`
	Session     string `json:"session"`
	Environment string `json:"environment"`
	Plug        string `json:"plug"`
	Key         string `json:"key"` // ours, unique: the sandbox may be found by it
	ID          string `json:"id"`  // empty if create was never answered
	Dir         string `json:"dir"`
	Home        string `json:"home"`
}

// A remoteAnswer is what create and probe say; the others may say nothing.
type remoteAnswer struct {
	ID    string `json:"id"`
	Dir   string `json:"dir"`
	Home  string `json:"home"`
	State string `json:"state"`
}

// The states that probe answers.
const (
	remoteRunning = "running"
	remotePaused  = "paused"
	remoteGone    = "gone"
)

func (r *remote) probe(ctx context.Context) (string, error) {
	a, err := r.do(ctx, "probe", r.c.Probe)
	if err == nil && !slices.Contains([]string{remoteRunning, remotePaused, remoteGone}, a.State) {
		err = fmt.Errorf("probe sandbox %s: want a state running, paused or gone, not %q", r.state.ID, a.State)
	}
	return a.State, err
}

// do has a verb done, by its command or over http.
func (r *remote) do(ctx context.Context, verb string, line commandLine) (remoteAnswer, error) {
	var a remoteAnswer
	asked, err := json.Marshal(remoteQuestion{Verb: verb, Session: r.s.Session, Environment: r.s.Environment,
		Plug: r.s.ID, Key: r.state.Key, ID: r.state.ID, Dir: r.state.Dir, Home: r.state.Home})
	if err != nil {
		return a, err
	}
	var said []byte
	if at := httpAddress(line); at != "" {
		said, err = r.post(ctx, r.fillIn(at), asked)
	} else {
		said, err = r.command(ctx, line, asked)
	}
	if err == nil && len(bytes.TrimSpace(said)) > 0 {
		if err = json.Unmarshal(said, &a); err != nil {
			err = fmt.Errorf("want one JSON object, not %.100q", said)
		}
	}
	if err != nil {
		return a, fmt.Errorf("%s sandbox (%s): %w", verb, line, err)
	}
	return a, nil
}

func (r *remote) fillIn(text string) string {
	return strings.NewReplacer("{id}", r.state.ID, "{key}", r.state.Key).Replace(text)
}

func (r *remote) filled(line commandLine) []string {
	args := make([]string, len(line))
	for i, a := range line {
		args[i] = r.fillIn(a)
	}
	return args
}

func (r *remote) command(ctx context.Context, line commandLine, asked []byte) ([]byte, error) {
	said, stderr := &capped{most: maxHookAnswer}, newOutput(r.s, false)
	err := runOnHost(ctx, r.s, Cmd{
		Args: r.filled(line), Stdin: bytes.NewReader(asked), Stdout: said, Stderr: stderr,
	})
	stderr.flush()
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, stderr.last())
	}
	return said.kept.Bytes(), nil
}

// post asks a provider. 404 is how a provider says that what is not there is
// gone.
func (r *remote) post(ctx context.Context, at string, asked []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, bytes.NewReader(asked))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.c.Token != "" {
		token := os.Getenv(r.c.Token)
		if token == "" {
			return nil, fmt.Errorf("%w: token: the runner has no variable %s", ErrRefused, r.c.Token)
		}
		r.s.Secret(token)
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, maxHookAnswer))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusNotFound && r.state.ID != "":
		return []byte(`{"state":"gone"}`), nil
	case resp.StatusCode/100 != 2:
		return nil, fmt.Errorf("%s: %.300s", resp.Status, said)
	}
	return said, nil
}

// exec is the command that runs args in the sandbox. A line for the shell finds
// them as "$@".
func (r *remote) exec(args ...string) []string {
	argv := r.filled(r.c.Exec)
	if len(argv) == 3 && argv[0] == "sh" && argv[1] == "-c" {
		argv = append(argv, "sh")
	}
	return append(argv, args...)
}

// sh runs a script in the sandbox, to its end.
func (r *remote) sh(ctx context.Context, in io.Reader, out io.Writer, script string, args ...string) error {
	said := newOutput(r.s, true) // for the error
	c := Cmd{Args: r.exec(append([]string{"sh", "-c", script, "sh"}, args...)...), Stdin: in, Stdout: out, Stderr: said}
	if err := runOnHost(ctx, r.s, c); err != nil {
		return fmt.Errorf("exec in sandbox %s: %w%s", r.state.ID, err, said.last())
	}
	return nil
}

// dial runs the shim in the sandbox, over the stream of an exec.
func (r *remote) dial(ctx context.Context, args ...string) (io.ReadWriteCloser, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	proc, err := r.s.Host.Start(ctx, Cmd{
		Args: r.exec(append([]string{r.shimInside()}, args...)...), Stdin: theirIn, Stdout: theirOut,
	})
	_ = errors.Join(theirIn.Close(), theirOut.Close()) // the command has its own
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return execStream{in: in, out: out, proc: proc}, nil
}

// An execStream is the stdin and stdout of an exec.
type execStream struct {
	in, out *os.File
	proc    Process
}

func (x execStream) Read(b []byte) (int, error)  { return x.out.Read(b) }
func (x execStream) Write(b []byte) (int, error) { return x.in.Write(b) }

// Close ends the exec here; what it ran ends with its stdin.
func (x execStream) Close() error {
	return errors.Join(x.in.Close(), x.proc.Kill(), x.out.Close())
}
