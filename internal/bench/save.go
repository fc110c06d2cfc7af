package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"blaise.dev/blaise/plug"
)

// saveTimes is how often an unchanged worktree is saved.
const saveTimes = 15

// saves measures what a save costs where nothing was changed, as most turns and
// pauses are, against git's own look at the tree.
func saves(ctx context.Context, o options) (rows []row, err error) {
	const files = 20000
	repo := filepath.Join(o.tmp, "save-repo")
	if err := newRepo(repo, files); err != nil {
		return nil, err
	}
	s, err := plug.NewStack([]plug.Spec{plug.NewSpec("worktree", "src", nil)}, plug.StackOptions{
		Session: "s1bench0", StateDir: filepath.Join(o.tmp, "save-state"),
		Host: &plug.Local{Dir: repo}, Save: 1,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Destroy(context.WithoutCancel(ctx))) }()
	if err := s.Open(ctx); err != nil {
		return nil, err
	}
	got, floor, err := saveBeside(ctx, s)
	if err != nil {
		return nil, err
	}
	return []row{{
		name: fmt.Sprintf("save of an unchanged worktree, %d files, median", files),
		got:  median(got), floor: median(floor), limit: 1.5 * median(floor), unit: "ms",
	}}, nil
}

// saveBeside takes the samples of both in turns.
func saveBeside(ctx context.Context, s *plug.Stack) (got, floor []time.Duration, err error) {
	for i := range saveTimes + 1 {
		status := exec.CommandContext(ctx, "git", "-C", s.Env().Place().Dir, "status", "--porcelain")
		bare, err := took(status.Run)
		if err != nil {
			return nil, nil, err
		}
		whole, err := took(func() error { _, err := s.Save(ctx); return err })
		if err != nil {
			return nil, nil, err
		}
		if i > 0 { // the first warms caches and is left out
			floor, got = append(floor, bare), append(got, whole)
		}
	}
	return got, floor, nil
}

func took(do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began), err
}
