package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/config"
	"blaise.dev/blaise/internal/check"
)

// An order of plugs that cannot open says which layer needs what. It is looked
// at alone: the plugs' own checks start this program as their shim.
func TestOrderThatCannotWork(t *testing.T) {
	t.Parallel()
	for plugs, want := range map[string]string{
		"[{use: container, id: box, image: x}]":                                "needs a directory to work in: put worktree or local before it",
		"[{use: sandbox, id: walls}, {use: worktree, id: src}]":                `worktree works on this machine: put it before plug "walls" (sandbox)`,
		"[{use: worktree}, {use: sandbox}, {use: container, image: x}]":        `put it before plug "sandbox" (sandbox)`,
		"[{use: worktree}, {use: container, image: x}, {use: sandbox}]":        "",
		"[{use: worktree}, {use: container, image: x}, {use: setup, once: a}]": "",
	} {
		file := filepath.Join(t.TempDir(), "blaise.yml")
		text := "version: 1\nagent: {use: demo}\nplugs: " + plugs + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, f := range check.Order(cfg.Plugs) {
			said = append(said, f.Text)
		}
		if got := strings.Join(said, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q, want %q in it", plugs, got, want)
		}
	}
}
