package run_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp/acptest"
	"blaise.dev/blaise/api/apitest"
	"blaise.dev/blaise/run"
)

// The machine is told apart from what the agent or the repository lacks: three
// runs that begin on none pause a runner, for all (A22).
func TestWhoseFaultIsWrittenDown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail  func(h *house)
		begun bool
	}{
		"no login": {func(h *house) { h.scripted(acptest.Script{NeedAuth: "browser-login"}) }, true},
		"a line of setup": {func(h *house) {
			h.write("use: demo", "{use: worktree, repo: "+h.repo+"}, {use: setup, once: exit 3}")
		}, true},
		"no program": {func(h *house) {
			h.write("command: [no-such-agent]", "{use: worktree, repo: "+h.repo+"}")
		}, false},
		"no program of a plug": {func(h *house) {
			h.write("use: demo", "{use: exec, onStart: [no-such-program]}")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			c.fail(h)
			err := h.begin(t.Context(), newControl(t), apitest.Lease(blaise.RunStart, 1))()
			b, readErr := os.ReadFile(filepath.Join(h.state, "runs", "1", run.DoneFile))
			var done run.Done
			if readErr == nil {
				readErr = json.Unmarshal(b, &done)
			}
			if err == nil || readErr != nil || done.Begun != c.begun {
				t.Errorf("ended with %v; written down: %+v, %v", err, done, readErr)
			}
		})
	}
}
