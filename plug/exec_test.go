package plug_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
	"blaise.dev/blaise/transcript"
)

// folder is a user's plug of ten lines: a directory for each session.
const folder = `#!/bin/sh
set -eu
dir=$1/$BLAISE_KEY
case $BLAISE_HOOK in
onStart) mkdir -p "$dir"; echo "{\"state\": \"$dir\", \"dir\": \"$dir\", \"env\": {\"FOLDER\": \"$dir\"}}" ;;
onResume) [ -d "$dir" ] || echo '{"gone": true}' ;;
onPause) echo "resting" >&2 ;;
onTeardown) rm -rf "$dir" ;;
esac
`

// ownPlug writes a script where no agent works, and is the exec plug of it.
func ownPlug(t testing.TB, script string, args ...string) plug.Spec {
	t.Helper()
	path := filepath.Join(plugtest.TempDir(t), "own.sh")
	write(t, path, script)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	keys := map[string]any{}
	for _, hook := range []string{"onStart", "onResume", "onPause", "onTeardown"} {
		keys[hook] = append([]string{path}, args...)
	}
	return plug.NewSpec("exec", "own", keys)
}

func TestExec(t *testing.T) {
	t.Parallel()
	plugtest.Run(t, func(t *testing.T) plugtest.Setup {
		dir := plugtest.TempDir(t)
		return plugtest.Setup{
			Spec: ownPlug(t, folder, dir), Host: host(t, plugtest.TempDir(t)),
			Break: func(t *testing.T, env plug.Env) { remove(t, env.Place().Dir) },
			Left: func(*testing.T) []string {
				left, _ := filepath.Glob(dir + "/*")
				return left
			},
		}
	})
}

// own is the world of one exec plug with the keys.
func own(t testing.TB, keys map[string]any) *plugtest.World {
	t.Helper()
	h := host(t, plugtest.TempDir(t))
	t.Cleanup(func() { _ = h.Fence.Kill() })
	return plugtest.NewWorld(t, h, plug.NewSpec("exec", "own", keys))
}

// What a hook is told, on stdin and in its environment, and the key that is
// saved before the first of them.
func TestExecTellsItsHooks(t *testing.T) {
	t.Parallel()
	out := filepath.Join(plugtest.TempDir(t), "out")
	line := fmt.Sprintf(`cat >>%[1]s; echo >>%[1]s; echo "$BLAISE_HOOK $BLAISE_SESSION $BLAISE_PLUG $BLAISE_KEY $BLAISE_STATE" >>%[1]s; `, out)
	w := own(t, map[string]any{
		"onStart":    line + `echo '{"state": {"n": 1}}'`,
		"onResume":   line + `echo '{"state": "two"}'`,
		"onPause":    line,
		"onTeardown": line,
	})
	if err := w.Open().Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := w.Open()
	if err := errors.Join(s.Pause(t.Context()), w.Stack().Destroy(t.Context())); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(read(t, out)), "\n")
	want := []struct{ hook, state, shell string }{
		{"onStart", "null", ""}, {"onPause", `{"n":1}`, `{"n":1}`}, {"onResume", `{"n":1}`, `{"n":1}`},
		{"onPause", `"two"`, "two"}, {"onTeardown", `"two"`, "two"},
	}
	if len(lines) != 2*len(want) {
		t.Fatalf("got %d lines: %q", len(lines), lines)
	}
	var key string
	for i, c := range want {
		var q struct {
			Hook, Session, Environment, Plug, Key string
			State                                 json.RawMessage
			Outer                                 *struct{ Dir string }
		}
		if err := json.Unmarshal([]byte(lines[2*i]), &q); err != nil {
			t.Fatal(err)
		}
		if key == "" {
			key = q.Key
		}
		if q.Hook != c.hook || string(q.State) != c.state || q.Session != w.Session || q.Key != key ||
			q.Plug != "own" || q.Environment != w.Session || (q.Outer == nil) != (c.hook == "onTeardown") {
			t.Errorf("call %d: %s", i, lines[2*i])
		}
		shell := strings.TrimSpace(strings.Join([]string{c.hook, w.Session, "own", key, c.shell}, " "))
		if got := strings.TrimSpace(lines[2*i+1]); got != shell {
			t.Errorf("call %d: got %q, want %q", i, got, shell)
		}
	}
}

// Env, secrets and dir reach the agent; the secret is known before, and is kept
// nowhere; the rest is there in the next run too.
func TestExecGivesTheAgent(t *testing.T) {
	t.Parallel()
	w := own(t, map[string]any{
		"onStart":  `mkdir -p deep; echo '{"env": {"A": "b c"}, "secrets": {"TOKEN": "hush-hush"}, "dir": "deep", "message": "it is made"}'; echo said >&2`,
		"onResume": `true`,
	})
	var secrets []string
	w.Options.Secret = func(s string) { secrets = append(secrets, s) }
	s := w.Open()
	if got := plugtest.Sh(t, s.Env(), `echo "$A $TOKEN ${PWD##*/}"`); got != "b c hush-hush deep" {
		t.Errorf("the agent has %q", got)
	}
	if fmt.Sprint(secrets) != "[hush-hush]" || !strings.Contains(w.Notices(), "it is made") ||
		!strings.Contains(w.Output(), "said") {
		t.Errorf("secrets %q, notices %q, output %q", secrets, w.Notices(), w.Output())
	}
	if got := plugtest.Sh(t, w.Open().Env(), `echo "$A $TOKEN ${PWD##*/}"`); got != "b c  deep" {
		t.Errorf("after a pause the agent has %q", got)
	}
}

// Whatever a hook does wrong, the error names plug, hook, what happened, and
// the last lines of stderr.
func TestExecBadHooks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, line, want string }{
		{"exits non-zero", `echo one >&2; echo two >&2; exit 3`, "onStart (echo one >&2; echo two >&2; exit 3): exit code 3; its last output:\none\ntwo"},
		{"prints junk", `echo Created database`, `exit code 0, and what it answered on stdout is not the JSON object wanted (invalid character 'C' looking for beginning of value): "Created database"`},
		{"prints an unknown key", `echo '{"enviroment": {}}'`, `json: unknown field "enviroment"`},
		{"prints two", `echo '{}{}'`, "more than one JSON object"},
		{"prints a bad name", `echo '{"env": {"A=B": "c"}}'`, `a variable that no environment can hold: "A=B"`},
		{"prints for ever", `yes`, "it answered more than 1 MB"},
		{"hangs", `echo waiting >&2; sleep 300`, "killed: context deadline exceeded; its last output:\nwaiting"},
		{"dies", `kill -9 $$`, "killed by signal"},
		{"is not there", `exec no-such-program`, "exit code 127; its last output:\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := own(t, map[string]any{"onStart": c.line})
			limit := time.Minute
			if c.name == "hangs" {
				limit = 2 * time.Second
			}
			ctx, cancel := plugtest.Limit(t, limit)
			defer cancel()
			err := w.Stack().Open(ctx)
			if err == nil || !strings.Contains(err.Error(), `open plug "own" (exec): onStart`) ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A program that is not there breaks no environment (A22).
func TestExecWithoutItsProgram(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"onStart", "onTranscript"} {
		err := own(t, map[string]any{key: []string{"no-such-program"}}).Stack().Open(t.Context())
		if !errors.Is(err, plug.ErrRefused) || !strings.Contains(err.Error(), "no-such-program") {
			t.Errorf("%s: got %v", key, err)
		}
	}
}

// What a hook leaves running ends with it, also when it multiplies.
func TestExecLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"in the background": `setsid sleep 300 & echo $! >pid; echo '{}'`,
		"that multiply":     `grow() { echo $$ >pid; for i in 1 2 3 4; do (sleep 0.1; exec setsid sleep 300) & done; }; grow; sleep 0.2; echo '{}'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := own(t, map[string]any{"onStart": script})
			dir := w.Options.Host.Place().Dir
			w.Open()
			for _, pid := range plugtest.WorkingIn(dir) {
				t.Errorf("process %d lives on", pid)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
}

// A teardown that fails is not done; when it works, all is forgotten.
func TestExecTeardownFails(t *testing.T) {
	t.Parallel()
	w := own(t, map[string]any{"onStart": "true", "onTeardown": `test -e mended || { echo busy >&2; exit 1; }`})
	w.Open()
	err := w.Stack().Destroy(t.Context())
	if err == nil || !strings.Contains(err.Error(), `destroy plug "own" (exec): onTeardown`) || len(w.Ledger()) != 1 {
		t.Errorf("got %v; ledger %v", err, w.Ledger())
	}
	write(t, filepath.Join(w.Options.Host.Place().Dir, "mended"), "")
	if err := w.Stack().Destroy(t.Context()); err != nil || len(w.Ledger()) != 0 {
		t.Errorf("got %v; ledger %v", err, w.Ledger())
	}
}

// A file that the agent can write never runs on the host.
func TestExecRefusesWhatTheAgentWrites(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	write(t, filepath.Join(repo, "db.sh"), "true\n")
	mine := plug.NewSpec("exec", "", map[string]any{"onStart": "sh ./db.sh"})
	for name, c := range map[string]struct {
		specs   []plug.Spec
		refused bool
	}{
		"in the user's own files":     {[]plug.Spec{plug.NewSpec("local", "", nil), mine}, true},
		"in whatever order":           {[]plug.Spec{mine, plug.NewSpec("local", "", nil)}, true},
		"beside a worktree it is not": {[]plug.Spec{plug.NewSpec("worktree", "", nil), mine}, false},
		"nor around one":              {[]plug.Spec{mine, plug.NewSpec("worktree", "", nil)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := plugtest.NewWorld(t, host(t, repo), c.specs...)
			err := w.Stack().Open(t.Context())
			if refused := errors.Is(err, plug.ErrRefused); refused != c.refused || !refused && err != nil {
				t.Errorf("got %v", err)
			}
			if err := w.Stack().Destroy(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestExecConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		keys map[string]any
		want string
	}{
		{"nothing to run", nil, "nothing to run"},
		{"resume alone", map[string]any{"onResume": "true"}, "there is no onStart"},
		{"reach", map[string]any{"onStart": "true", "reach": "far"}, `reach "far"`},
		{"a number", map[string]any{"onStart": 7}, "onStart: want a line for the shell, or a list"},
		{"an empty list", map[string]any{"onStart": []string{}}, "onStart: want a line"},
		{"an unknown key", map[string]any{"onStop": "true"}, `unknown key "onStop"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := plug.New(plug.NewSpec("exec", "", c.keys))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// watched sends events through onTranscript, and answers what was recorded.
func watched(t *testing.T, line string, patience time.Duration, events ...transcript.Event) (got []transcript.Event, err error) {
	t.Helper()
	w := own(t, map[string]any{"onTranscript": line})
	w.Options.Patience = patience
	s := w.Open()
	defer func() { _ = s.Pause(t.Context()) }()
	var mu sync.Mutex
	sink := s.Filter(transcript.SinkFunc(func(e transcript.Event) error {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, e)
		return nil
	}))
	for _, e := range events {
		err = errors.Join(err, sink.Append(e))
	}
	return got, err
}

func TestExecWatches(t *testing.T) {
	t.Parallel()
	update := transcript.New(transcript.KindUpdate, map[string]string{"text": "a secret word"})
	replay := update
	replay.Replay = true
	ended := transcript.New(transcript.KindTurnEnded, map[string]string{"message": "m1"})
	for _, c := range []struct {
		name, line string
		want       []string // data of what is recorded
		err        string
	}{
		{"passes", `while read -r e; do echo "$e"; done`, []string{`{"text":"a secret word"}`, `{"text":"a secret word"}`, `{"message":"m1"}`}, ""},
		{"rewrites, replay too", `exec sed -u s/secret/plain/`, []string{`{"text":"a plain word"}`, `{"text":"a plain word"}`, `{"message":"m1"}`}, ""},
		{"drops", `exec sed -u '/update/s/.*/null/'`, []string{`{"message":"m1"}`}, ""},
		{"may not drop a turn's end", `exec sed -u 's/.*/null/'`, nil, "without which the record makes no sense"},
		{"answers junk", `while read -r e; do echo ok; done`, nil, `it answered no event: "ok"`},
		{"answers without data", `while read -r e; do echo '{}'; done`, nil, `it answered no event: "{}"`},
		{"hangs", `sleep 300`, nil, "no answer to an event within limits.hook = 500ms"},
		{"dies", `read -r e; echo no licence >&2; exit 4`, nil, "it ended with exit code 4: nothing is recorded any more; its last output:\nno licence"},
		{"dies after one", `read -r e; echo "$e"; read -r e; exit 1`, []string{`{"text":"a secret word"}`}, "it ended with exit code 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			patience := 30 * time.Second
			if c.name == "hangs" {
				patience = 500 * time.Millisecond
			}
			got, err := watched(t, c.line, patience, update, replay, ended)
			var data []string
			for _, e := range got {
				data = append(data, string(e.Data))
			}
			if fmt.Sprint(data) != fmt.Sprint(c.want) {
				t.Errorf("recorded %q, want %q", data, c.want)
			}
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %v, want %q", err, c.err)
			}
		})
	}
}

// A program's path is relative to blaise.yml, like every path there.
func TestExecPathsAreRelativeToTheFile(t *testing.T) {
	t.Parallel()
	repo := newRepo(t)
	write(t, filepath.Join(repo, "tools/db.sh"), "#!/bin/sh\necho '{\"env\": {\"WHERE\": \"'\"$PWD\"'\"}}'\n")
	if err := os.Chmod(filepath.Join(repo, "tools/db.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range []any{[]string{"./tools/db.sh"}, []string{"tools/db.sh"}, "./tools/db.sh", []string{"sh", "tools/db.sh"}} {
		w := plugtest.NewWorld(t, host(t, repo), plug.NewSpec("worktree", "", nil), plug.NewSpec("exec", "", map[string]any{"onStart": line}))
		if got := plugtest.Sh(t, w.Open().Env(), "echo $WHERE"); got != repo {
			t.Errorf("%v works in %q, want %q", line, got, repo)
		}
	}
}
