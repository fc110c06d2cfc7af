package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise"
)

// What a session changed on another machine is on its page, live and when it has
// ended, without secrets (X8), and `blaise diff` shows it where neither worktree
// nor repository are.
func TestChangesOfARunnerElsewhere(t *testing.T) {
	b := newLab(t, "{}")
	id := b.start("write <b>one.txt first")
	b.writes(id, 1)
	page := b.browser()
	changes := func(want ...string) {
		t.Helper()
		status, text := page("/sessions/"+string(id)+"/changes", nil)
		for _, w := range want {
			if status != 200 || !strings.Contains(text, w) {
				t.Errorf("changes: %d, no %q in\n%s", status, w, text)
			}
		}
	}
	changes("&lt;b&gt;one.txt", "&#43;first", "as run <code>"+string(id)+".1</code>")
	token := "ghp_" + "16C7e42F292c6912E7" + "710c838347Ae178B4a"
	b.say(id, "write two.txt second "+token)
	b.writes(id, 2)
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	changes("&#43;second [redacted]", "refs/blaise/"+string(id)+"/1")

	if err := os.Rename(filepath.Join(b.dir, "repo"), filepath.Join(b.dir, "away")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(b.dir, "repo"), 0o700); err != nil {
		t.Fatal(err)
	}
	if out := b.run("diff", string(id)); !strings.Contains(out, "+second") {
		t.Errorf("blaise diff: %s", out)
	}
}
