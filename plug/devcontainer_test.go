package plug_test

import (
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// devWorld has a repository with the devcontainer.json, committed.
func devWorld(t *testing.T, file string, more map[string]string) *plugtest.World {
	t.Helper()
	repo := newRepo(t)
	write(t, filepath.Join(repo, ".devcontainer/devcontainer.json"), file)
	for name, text := range more {
		write(t, filepath.Join(repo, name), text)
	}
	gitIn(t, repo, "add", ".")
	gitIn(t, repo, "commit", "-qm", "devcontainer")
	shim := plugtest.Shim(t)
	return plugtest.NewWorld(t, host(t, repo), plug.NewSpec("worktree", "src", nil),
		plug.NewSpec("devcontainer", "box", map[string]any{"engine": needEngine(t), "shim": shim, "network": "none"}))
}

func TestDevcontainer(t *testing.T) {
	t.Parallel()
	w := devWorld(t, `{
		// comments and trailing commas are what people write
		"build": {"dockerfile": "Dockerfile", "context": "..", "args": {"WHO": "args"}},
		"containerEnv": {"A": "one"},
		"remoteEnv": {"B": "${containerEnv:A} two", "HOST": "${localEnv:PATH}"},
		"workspaceFolder": "/workspaces/thing",
		"remoteUser": "root",
		"mounts": ["source=cache,target=/cache,type=volume"],
		"runArgs": ["--gpus", "all"],
		"postCreateCommand": "echo once >>/cache/count; echo $B >created.txt",
		"postStartCommand": {"b": ["sh", "-c", "echo started >>/cache/starts"]},
	}`, map[string]string{".devcontainer/Dockerfile": "FROM " + busyboxImage + "\nARG WHO\nCOPY a.txt /from-context\nRUN echo $WHO >/built\n"})
	env := w.Open().Env()
	if got := plugtest.Sh(t, env, "pwd; cat /built /from-context created.txt; echo $HOST$A"); got != "/workspaces/thing\nargs\na\none two\none" {
		t.Errorf("inside: %q", got)
	}
	if n := w.Notices(); !strings.Contains(n, "runArgs is left out") || !strings.Contains(n, "${localEnv:PATH}") {
		t.Errorf("notices: %s", n)
	}
	// What the agent changes decides nothing.
	plugtest.Sh(t, env, `echo '{"image": "evil", "initializeCommand": "touch /tmp/evil"}' >.devcontainer/devcontainer.json`)
	if err := w.Stack().Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := plugtest.Sh(t, w.Open().Env(), "cat /cache/count /cache/starts"); got != "once\nstarted\nstarted" {
		t.Errorf("after a resume: %q", got)
	}
	destroy(t, w)
	if left := mustDocker(t, "volume", "ls", "-q", "--filter", "label=dev.blaise.environment="+w.Session); left != "" {
		t.Errorf("volumes left: %s", left)
	}
}

func TestDevcontainerRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, want string }{
		"initializeCommand": {`{"image": "a", "initializeCommand": "touch /tmp/x"}`, "initializeCommand is refused"},
		"features":          {`{"image": "a", "features": {"ghcr.io/x/go:1": {}}}`, "features are not served yet (ghcr.io/x/go:1)"},
		"compose":           {`{"dockerComposeFile": "a.yml"}`, "Docker Compose is not served"},
		"privileged":        {`{"image": "a", "privileged": true}`, "privileged is refused"},
		"bind mounts":       {`{"image": "a", "mounts": ["source=/home,target=/h,type=bind"]}`, "said in blaise.yml"},
		"nothing":           {`{}`, "neither an image nor a Dockerfile"},
		"junk":              {`{"image": `, "devcontainer.json of commit"},
		"no such file":      {"", "devcontainer.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := devWorld(t, c.file, nil)
			err := w.Stack().Open(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || !plug.Asked(err) {
				t.Errorf("got %v, want %q in it, as what was asked for", err, c.want)
			}
			destroy(t, w)
		})
	}
}
