package plug

import (
	"context"
	"errors"
)

type worktreeConfig struct {
	Repo string `yaml:"repo" default:"." doc:"the repository; relative to blaise.yml"`
}

func defaultWorktreeConfig() *worktreeConfig { return &worktreeConfig{Repo: "."} }

type worktree struct{ c worktreeConfig }

func newWorktree(c worktreeConfig) (Plug, error) { return &worktree{c}, nil }

func (w *worktree) Open(context.Context, Scope, Env) (Env, error) {
	return nil, errors.New("not built yet")
}
func (w *worktree) Destroy(context.Context, Scope) error { return nil }
