package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// lastLook is after all lives are over and the programs are ended: nothing of
// them is left on the machine.
func (w *world) lastLook() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	w.must(eventually(ctx, 15*time.Second, func() error {
		if left := w.marked(); len(left) > 0 {
			return fmt.Errorf("processes are left at the end: %v", left)
		}
		return nil
	}))
	for i := range w.runner {
		for path := range below(w.state(i)) {
			if !w.before[i][path] && !strings.HasPrefix(path, "bin/") {
				w.must(fmt.Errorf("runner%d has left %s", i, path))
			}
		}
	}
	w.must(w.repositoryIsWhole(ctx))
}

func (w *world) must(err error) {
	if err != nil {
		w.f.violation(fmt.Sprintf("seed %d, at the end: %v", w.o.seed, err))
	}
}

func (w *world) repositoryIsWhole(ctx context.Context) error {
	trees, err := w.git(ctx, "worktree", "list")
	if err != nil {
		return err
	}
	if n := strings.Count(trees, "\n"); n != 1 {
		return fmt.Errorf("worktrees are left:\n%s", trees)
	}
	for path := range below(w.at("repo", ".git")) {
		if filepath.Ext(path) == ".lock" && path != "blaise.lock" { // that one is flocked, and stays
			return fmt.Errorf("a lock is left: .git/%s", path)
		}
	}
	if out, err := w.git(ctx, "status", "--porcelain", "--untracked-files=no"); err != nil || out != "" {
		return fmt.Errorf("the user's checkout was touched: %s, %v", out, err)
	}
	_, err = w.git(ctx, "fsck", "--no-dangling", "--connectivity-only")
	return err
}
