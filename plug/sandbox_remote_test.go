package plug_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// sandboxProvider is a provider of sandboxes: each a directory and processes of its
// own environment, which are refused while it is paused. It is called with a
// verb, its root, and the key or the id.
const sandboxProvider = `#!/bin/sh
set -e
verb=$1 root=$2 id=$3; shift 3; at=$root/$id
case $verb in
create) cat >/dev/null; mkdir -p "$at/work" "$at/home"; echo create "$id" >>"$root/log"
	printf '{"id":"%s","dir":"%s/work","home":"%s/home"}' "$id" "$at" "$at";;
exec) test -d "$at" && test ! -e "$at/paused"; cd "$at/work"; exec env -i PATH="$PATH" HOME="$at/home" "$@";;
pause) touch "$at/paused"; echo pause >>"$root/log";;
resume) rm "$at/paused"; echo resume >>"$root/log";;
destroy) rm -rf "$at";;
probe) if test ! -d "$at"; then s=gone; elif test -e "$at/paused"; then s=paused; else s=running; fi
	printf '{"state":"%s"}' "$s";;
esac
`

// remoteKeys are the keys of a sandbox that the provider makes below root.
func remoteKeys(t *testing.T, root string) map[string]any {
	t.Helper()
	program := filepath.Join(plugtest.TempDir(t), "provider")
	write(t, program, sandboxProvider)
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	shim := plugtest.Shim(t)
	verbs := map[string]any{"exec": []string{program, "exec", root, "{id}"}, "shim": shim}
	for _, verb := range []string{"create", "pause", "resume", "destroy", "probe"} {
		verbs[verb] = []string{program, verb, root, "{key}"}
	}
	return map[string]any{"driver": "command", "remote": verbs}
}

func TestRemoteSandbox(t *testing.T) {
	t.Parallel()
	plugtest.Run(t, func(t *testing.T) plugtest.Setup {
		dir, root := filepath.Join(plugtest.TempDir(t), "here"), plugtest.TempDir(t)
		write(t, filepath.Join(dir, "a.txt"), "a\n")
		return plugtest.Setup{
			Spec: plug.NewSpec("sandbox", "", remoteKeys(t, root)), Host: host(t, dir), Keeps: true,
			Break: func(t *testing.T, env plug.Env) { remove(t, filepath.Dir(env.Place().Dir)) },
			Left: func(t *testing.T) []string {
				left, err := filepath.Glob(filepath.Join(root, "*", "home"))
				if err != nil {
					t.Fatal(err)
				}
				return left
			},
		}
	})
}

// The checkout goes to the sandbox and comes back: commits, changed and new
// files are saved, in three runs with pauses between, and a link comes back as
// a link (X5).
func TestRemoteSandboxBringsTheWorkHome(t *testing.T) {
	t.Parallel()
	repo, root := newRepo(t), plugtest.TempDir(t)
	w := plugtest.NewWorld(t, host(t, repo), plug.NewSpec("worktree", "src", nil),
		plug.NewSpec("sandbox", "", remoteKeys(t, root)))
	for _, n := range []string{"1", "2", "3"} {
		stack := w.Open()
		plugtest.Sh(t, stack.Env(), `git config user.name U; git config user.email u@x
			echo `+n+` >new-`+n+`; git add new-`+n+`; git commit -qm c`+n+`
			echo more >>a.txt; echo u >untracked-`+n+`; ln -sf /etc/passwd leak; echo >>$HOME/kept`)
		if seen, err := stack.Look(t.Context()); err != nil || !strings.Contains(seen.Patch, "+++ b/untracked-"+n) {
			t.Errorf("run %s: seen while it is open: %+v, %v", n, seen, err)
		}
		works, err := stack.Save(t.Context())
		if err != nil || len(works) != 1 {
			t.Fatalf("save %s: %v, %v", n, works, err)
		}
		for path, want := range map[string]string{"new-" + n: n, "untracked-" + n: "u", "leak": "/etc/passwd"} {
			if got := gitIn(t, repo, "show", works[0].Commit+":"+path); got != want {
				t.Errorf("run %s: %s was saved as %q, want %q", n, path, got, want)
			}
		}
		if got := gitIn(t, repo, "log", "--format=%s", "-1", works[0].Commit+"^"); got != "c"+n {
			t.Errorf("run %s: the commit below is %q", n, got)
		}
		if err := stack.Pause(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Options.Save++
	}
	if got := strings.Fields(read(t, filepath.Join(root, "log"))); strings.Join(got, " ") !=
		"create "+got[1]+" pause resume pause resume pause" {
		t.Errorf("the provider was asked for: %v", got)
	}
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(root, "*", "home")); len(left) > 0 {
		t.Errorf("left at the provider: %v", left)
	}
}

// The verbs but exec may be http: the token comes from the runner's
// environment, and 404 says gone.
func TestRemoteSandboxOverHTTP(t *testing.T) {
	root := plugtest.TempDir(t)
	keys := remoteKeys(t, root)
	verbs := keys["remote"].(map[string]any)
	program := verbs["probe"].([]string)[0]
	gone := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Verb, Key string }
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer tok" || json.Unmarshal(body, &q) != nil {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		if gone {
			http.NotFound(w, r)
			return
		}
		out, err := exec.Command(program, q.Verb, root, q.Key).Output()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
		gone = q.Verb == "destroy"
		_, _ = w.Write(out)
	}))
	defer server.Close()
	for _, verb := range []string{"create", "pause", "resume", "destroy", "probe"} {
		verbs[verb] = []string{server.URL + "/" + verb}
	}
	verbs["token"] = "TOKEN_OF_TEST"
	w := plugtest.NewWorld(t, host(t, plugtest.TempDir(t)), plug.NewSpec("sandbox", "", keys))
	if err := w.Stack().Open(t.Context()); err == nil || !strings.Contains(err.Error(), "TOKEN_OF_TEST") {
		t.Errorf("open without the token: %v", err)
	}
	t.Setenv("TOKEN_OF_TEST", "tok")
	if got := plugtest.Sh(t, w.Open().Env(), "echo in"); got != "in" {
		t.Errorf("inside: %q", got)
	}
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSandboxConfigThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys map[string]any
		want string
	}{
		{map[string]any{"driver": "bublewrap"}, `did you mean "bubblewrap"?`},
		{map[string]any{"network": "some"}, "want none, host, or {allow:"},
		{map[string]any{"network": map[string]any{"allow": []string{"http://x"}}}, "want a port"},
		{map[string]any{"home": "mine"}, "want own or outer"},
		{map[string]any{"require": []string{"netwrok"}}, `did you mean "network"?`},
		{map[string]any{"pids": -1}, "want a number"},
		{map[string]any{"login": []string{"../x"}}, "a path below the home"},
		{map[string]any{"remote": map[string]any{"exec": "x"}}, "is for driver: command"},
		{map[string]any{"driver": "command"}, "is missing"},
		{map[string]any{"driver": "command", "remote": map[string]any{"creat": "x"}}, `did you mean "create"?`},
		{map[string]any{"driver": "command", "remote": map[string]any{"create": "c", "exec": "http://x", "destroy": "d",
			"probe": "p"}}, "exec is a command"},
		{map[string]any{"driver": "command", "remote": map[string]any{"create": "c", "exec": "e", "destroy": "d",
			"probe": "p", "pause": "p"}}, "go together"},
	} {
		_, err := plug.New(plug.NewSpec("sandbox", "", c.keys))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.keys, err, c.want)
		}
	}
}
