package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

// agent.install brings the agent's program into a place that does not have it:
// once, before the agent is started, with its output in the record; again when
// the lines have changed (X4: it lies in the environment, and goes with it).
func TestAgentIsInstalledInTheEnvironment(t *testing.T) {
	t.Parallel()
	e := engineOf{sharedHost(t)}
	e.imported(t)
	install := "mkdir -p ~/.local/bin && cp $(command -v blaise) ~/.local/bin/my-agent && echo brought it"
	config := func(line string) string {
		text, _ := json.Marshal(map[string]any{ // JSON is YAML; plain values always marshal
			"version": 1,
			"agent":   map[string]any{"command": []string{"my-agent", "demo-agent"}, "install": line},
			"plugs": []any{map[string]any{"use": "worktree", "id": "src", "repo": "."}, map[string]any{
				"use": "container", "id": "box", "image": demoImage, "engine": e.host, "network": "none"}},
		})
		return string(text)
	}
	b := lab{startSplit(t, config(install))}
	brought := func(id blaise.SessionID, words string) int {
		return strings.Count(b.run("transcript", string(id), "--json"), `"text":"`+words)
	}
	id := b.start("hello")
	b.answered(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.says2(id, 2, "recall", "hello")
	if n := brought(id, "brought it"); n != 1 {
		t.Errorf("installed %d times, want once", n)
	}
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	b.write("repo/blaise.yml", config(install+" again"))
	b.says2(id, 3, "recall", "hello")
	if n := brought(id, "brought it again"); n != 1 {
		t.Errorf("after the change installed %d times, want once", n)
	}
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)

	b.write("repo/blaise.yml", config("echo no such package; exit 3"))
	bad := b.start("hello")
	b.why(string(bad), "no such package")
	b.why(string(bad), "correct agent.install")
	b.await("nothing of the refused run on the engine", func() bool { return strings.TrimSpace(e.of(t, bad)) == "" })
	if _, err := os.Stat(filepath.Join(b.dir, "home", ".local")); err == nil {
		t.Error("something was installed on this machine")
	}
}

// The demo agent works in a container that does not have it, and `runner check`
// tells of an image that has no program of the agent's name.
func TestDemoAgentIsBroughtAndCheckLooksInside(t *testing.T) {
	t.Parallel()
	e := engineOf{sharedHost(t)}
	const image = "blaise-test/bare:1"
	bare, err := imageTar(map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	e.imports(t, image, bare)
	config := func(agent map[string]any) string {
		text, _ := json.Marshal(map[string]any{"version": 1, "agent": agent, "plugs": []any{
			map[string]any{"use": "worktree", "id": "src", "repo": "."},
			map[string]any{"use": "container", "id": "box", "image": image, "engine": e.host, "network": "none"},
		}})
		return string(text)
	}
	b := lab{startSplit(t, config(map[string]any{"use": "demo"}))}
	id := b.start("hello")
	b.answered(id, 1)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)

	check := func(agent map[string]any) string {
		b.write("repo/blaise.yml", config(agent))
		cmd := exec.Command(filepath.Join(programs, "runner"), "check")
		cmd.Env, cmd.Dir = b.env, filepath.Join(b.dir, "repo")
		out, _ := cmd.CombinedOutput() // a missing program is an exit code, too
		return string(out)
	}
	for want, agent := range map[string]map[string]any{
		"/bin/sleep inside plug \"box\"":                            {"command": []string{"sleep", "9"}},
		"program \"no-such\" is not inside plug \"box\"":            {"command": []string{"no-such"}},
		"or agent.install is to bring it":                           {"command": []string{"no-such"}, "install": "true"},
		"or is installed there: npm install -g @google/gemini-cli@": {"use": "gemini"},
	} {
		if said := check(agent); !strings.Contains(said, want) {
			t.Errorf("runner check of %v says:\n%s\nwant %q in it", agent, said, want)
		}
	}
	if left := e.docker(t, "ps", "-aq", "--filter", "name=blaise-look-"); left != "" {
		t.Errorf("check left %s", left)
	}
}
