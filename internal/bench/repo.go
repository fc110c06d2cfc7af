package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// newRepo makes a git repository with n small files and one commit.
func newRepo(dir string, n int) error {
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("d%03d", i%200), fmt.Sprintf("f%05d.txt", i))
		if i < 200 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return fmt.Errorf("make repository: %w", err)
			}
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "file %d\nwith a few lines\nof text\n", i), 0o644); err != nil {
			return fmt.Errorf("make repository: %w", err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "gc.auto", "0"}, {"add", "-A"},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-qm", "first"},
	} {
		if err := git(dir, args...); err != nil {
			return err
		}
	}
	return nil
}

func git(dir string, args ...string) error {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out)
	}
	return nil
}
