package plug_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// sandboxDrivers are the local ones; a test for each runs what this machine can.
var sandboxDrivers = []string{"bubblewrap", "namespaces", "landlock"}

// needDriver skips where the machine cannot make such a sandbox.
func needDriver(t *testing.T, driver string) {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil && driver == "bubblewrap" {
		t.Skip("bwrap is not installed")
	}
	p, err := plug.New(plug.NewSpec("sandbox", "", map[string]any{"driver": driver, "pids": 0}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.(plug.Checker).Check(t.Context(), host(t, plugtest.TempDir(t))); err != nil {
		t.Skipf("no sandbox by %s here: %v", driver, err)
	}
}

func TestSandbox(t *testing.T) {
	t.Parallel()
	for _, driver := range sandboxDrivers {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			needDriver(t, driver)
			plugtest.Run(t, func(t *testing.T) plugtest.Setup {
				dir := filepath.Join(plugtest.TempDir(t), "here")
				write(t, filepath.Join(dir, "a.txt"), "a\n")
				return plugtest.Setup{
					Spec: plug.NewSpec("sandbox", "", map[string]any{"driver": driver, "network": "none"}),
					Host: host(t, dir), Keeps: true,
					Break: func(t *testing.T, env plug.Env) { remove(t, env.Place().Home) },
				}
			})
			plugtest.Apart(t, func(t *testing.T) plugtest.Setup {
				return plugtest.Setup{
					Spec:  plug.NewSpec("sandbox", "", map[string]any{"driver": driver, "network": "none"}),
					Outer: []plug.Spec{plug.NewSpec("worktree", "src", nil)}, Host: host(t, newRepo(t)),
				}
			})
		})
	}
}
