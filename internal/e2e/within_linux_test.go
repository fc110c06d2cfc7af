package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/internal/fakemodel"
)

// The engine restarts under a live run: the agent is gone with it, the same run
// starts it again, and it remembers (A23).
func TestContainerEngineRestarts(t *testing.T) {
	t.Parallel()
	own := privateEngine(t)
	b, e := newContainerLab(t, own.host, nil)
	id := b.start("fswrite kept.txt it stays")
	b.answered(id, 1)
	own.restart()
	b.says2(id, 2, "recall", "fswrite kept.txt it stays")
	b.says2(id, 3, "read kept.txt", "it stays")
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	if got := e.of(t, id); strings.TrimSpace(got) != "" {
		t.Errorf("left on the engine: %s", got)
	}
	if len(b.show(id).Runs) != 1 {
		t.Errorf("runs: %s", fmt.Sprint(b.show(id).Runs))
	}
}

const agentImage = "blaise-test/agent:1"

// needsOf are the libraries of a program, and what loads them, for an image.
func needsOf(t *testing.T, program string) map[string]string {
	t.Helper()
	out, err := exec.Command("ldd", program).Output()
	if err != nil {
		t.Skipf("what %s needs cannot be found out: %v", program, err)
	}
	files := map[string]string{}
	for word := range strings.FieldsSeq(string(out)) {
		if filepath.IsAbs(word) {
			files[word[1:]] = word
		}
	}
	return files
}

// A real agent in a sandbox in a container on a worktree: it starts, works,
// pauses and remembers, lives through a restart of the engine, and leaves
// nothing. In the container no namespace can be made: the sandbox says what it
// does instead (X4, X6).
func TestRealAgentInSandboxInContainer(t *testing.T) {
	t.Parallel()
	program := os.Getenv("BLAISE_TEST_CODEX")
	if program == "" {
		t.Skip("BLAISE_TEST_CODEX is not set")
	}
	own := privateEngine(t)
	e := engineOf{own.host}
	image, err := imageTar(needsOf(t, program))
	if err != nil {
		t.Fatal(err)
	}
	e.imports(t, agentImage, image)
	listener, address := own.listen()
	model := fakemodel.StartOn(listener)
	t.Cleanup(model.Close)
	config, _ := json.Marshal(map[string]any{ // JSON is YAML; plain values always marshal
		"version": 1, "agent": codexConfig("/usr/local/agent/"+filepath.Base(program), "http://"+address+"/v1"),
		"plugs": []any{
			map[string]any{"use": "worktree", "id": "src", "repo": "."},
			map[string]any{
				"use": "container", "id": "box", "image": agentImage, "engine": own.host,
				"mounts": []string{filepath.Dir(program) + ":/usr/local/agent:ro"},
			},
			map[string]any{"use": "sandbox", "id": "walls", "require": []string{"files", "syscalls", "privileges"}},
		},
	})
	b := lab{startSplit(t, string(config))}

	id := b.start("first words: amber")
	b.answered(id, 1)
	b.says(id, "Sandbox by landlock, network host. Enforced: files")
	b.says(id, "Better ones cannot be had: ")
	b.say(id, "please write /workspace/out1.txt")
	b.state(id, blaise.SessionParked)
	b.run("approve", string(id))
	b.answered(id, 2)

	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	if got := e.of(t, id); !strings.HasPrefix(got, "exited ") {
		t.Errorf("paused, the engine has: %s", got)
	}
	if got := b.exec("git", "show", "refs/blaise/"+string(id)+"/1:out1.txt"); !strings.Contains(got, fakemodel.Content) {
		t.Errorf("the saved work has %q", got)
	}
	b.say(id, "second words: birch")
	b.answered(id, 3)
	b.modelSaw(model, "first words: amber", "second words: birch", "please write ")

	own.restart()
	b.say(id, "third words: cedar")
	b.answered(id, 4)
	b.modelSaw(model, "first words: amber", "second words: birch", "third words: cedar")
	if s := b.show(id); s.Context != blaise.ContextFull || s.Environment.Generation != 1 {
		t.Errorf("context %s, generation %d", s.Context, s.Environment.Generation)
	}
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	if got := e.of(t, id); strings.TrimSpace(got) != "" {
		t.Errorf("left on the engine: %s", got)
	}
}
