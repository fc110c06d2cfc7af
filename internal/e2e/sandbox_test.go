package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

func newSandboxLab(t *testing.T, agent []string, keys map[string]any) lab {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there are sandboxes on Linux only")
	}
	box := map[string]any{"use": "sandbox", "id": "box"}
	for k, v := range keys {
		box[k] = v
	}
	who := map[string]any{"use": "demo", "fs": true, "terminal": true}
	if agent != nil {
		who = map[string]any{"command": agent, "fs": true, "terminal": true}
	}
	config, _ := json.Marshal(map[string]any{ // JSON is YAML; plain values always marshal
		"version": 1, "agent": who,
		"plugs": []any{map[string]any{"use": "worktree", "id": "src", "repo": "."}, box},
	})
	return lab{startSplit(t, string(config))}
}

// One life in a sandbox by whatever this machine can make: a permission is
// asked and given, files and terminals are those inside, the home is there
// after a pause, the state directory is not to be seen, and nothing is left.
func TestSandboxLife(t *testing.T) {
	t.Parallel()
	b := newSandboxLab(t, nil, map[string]any{"network": "none"})
	id := b.start("write kept.txt it stays")
	b.state(id, blaise.SessionParked)
	b.run("approve", string(id))
	b.answered(id, 1)
	b.says(id, "Sandbox by ")
	b.says2(id, 2, "fswrite by-client.txt through the run", "")
	b.says2(id, 3, "fsread by-client.txt", "through the run")
	b.say(id, "term echo at home >~/home.txt; echo got $(grep NoNewPrivs /proc/self/status)")
	b.answered(id, 4)
	b.says(id, "got NoNewPrivs: 1")
	token := filepath.Join(b.dir, "token")
	if err := os.WriteFile(token, []byte("not to be seen"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.say(id, "term cat "+token+" "+filepath.Join(b.dir, "repo", "blaise.yml")+"; echo looked")
	b.answered(id, 5)
	b.says(id, "looked")
	if text := b.run("transcript", string(id)); strings.Contains(text, "not to be seen") || strings.Contains(text, "version\":1") {
		t.Errorf("the agent sees outside:\n%s", text)
	}

	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	if saved := b.saved(id); len(saved) == 0 {
		t.Error("nothing was saved at the pause")
	}
	b.says2(id, 6, "read kept.txt", "it stays")
	b.say(id, "term cat ~/home.txt")
	b.answered(id, 7)
	b.says(id, "at home")
	b.says2(id, 8, "recall", "write kept.txt it stays")
	b.run("end", string(id))
	s := b.environment(id, blaise.EnvDestroyed)
	for _, p := range s.Environment.Plugs {
		for _, r := range p.Resources {
			if !r.Gone && r.Kind != "branch" {
				t.Errorf("left: %+v", r)
			}
		}
	}
}

const sandboxProvider = `#!/bin/sh
set -e
verb=$1 root=$2 id=$3; shift 3; at=$root/$id
case $verb in
create) cat >/dev/null; mkdir -p "$at/work" "$at/home"
	printf '{"id":"%s","dir":"%s/work","home":"%s/home"}' "$id" "$at" "$at";;
exec) test -d "$at" && test ! -e "$at/paused"; cd "$at/work"; exec env -i PATH="$PATH" HOME="$at/home" "$@";;
pause) touch "$at/paused";;
resume) rm "$at/paused";;
destroy) rm -rf "$at";;
probe) if test ! -d "$at"; then s=gone; elif test -e "$at/paused"; then s=paused; else s=running; fi
	printf '{"state":"%s"}' "$s";;
esac
`

// One life in a sandbox somewhere else: the work is home at the end of a turn
// and saved at the pause, the conversation goes on in the same sandbox, and the
// provider has nothing left.
func TestRemoteSandboxLife(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	program := filepath.Join(root, "provider")
	if err := writeProgram(program, []byte(sandboxProvider)); err != nil {
		t.Fatal(err)
	}
	verbs := map[string]any{"exec": []string{program, "exec", root, "{id}"}}
	for _, verb := range []string{"create", "pause", "resume", "destroy", "probe"} {
		verbs[verb] = []string{program, verb, root, "{key}"}
	}
	b := newSandboxLab(t, []string{filepath.Join(programs, "blaise"), "demo-agent"},
		map[string]any{"driver": "command", "remote": verbs})
	id := b.start("write kept.txt it stays")
	b.state(id, blaise.SessionParked)
	b.run("approve", string(id))
	b.answered(id, 1)
	b.say(id, "term pwd; echo at home >~/home.txt")
	b.answered(id, 2)
	b.says(id, root)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	if saved := b.saved(id); len(saved) == 0 {
		t.Error("nothing was saved at the pause")
	}
	if paused, _ := filepath.Glob(filepath.Join(root, "*", "paused")); len(paused) != 1 {
		t.Errorf("the provider has %d paused sandboxes, want 1", len(paused))
	}
	b.says2(id, 3, "read kept.txt", "it stays")
	b.say(id, "term cat ~/home.txt")
	b.answered(id, 4)
	b.says(id, "at home")
	b.says2(id, 5, "recall", "write kept.txt it stays")
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	if left, _ := filepath.Glob(filepath.Join(root, "*", "home")); len(left) > 0 {
		t.Errorf("left at the provider: %v", left)
	}
}
