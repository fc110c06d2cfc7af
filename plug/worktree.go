package plug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
	"blaise.dev/blaise/transcript"
)

type worktreeConfig struct {
	Repo       string `yaml:"repo" default:"." doc:"the repository; relative to blaise.yml, or a URL that runner.repos allows"`
	Base       string `yaml:"base" doc:"the branch or commit to start from; default: the branch the repository is on"`
	Branch     string `yaml:"branch" default:"blaise/{session}" doc:"the branch to work on; made if it is not there"`
	Dir        string `yaml:"dir" doc:"where to put the worktree; default: in the runner's state directory"`
	Submodules bool   `yaml:"submodules" doc:"check out submodules too, when the worktree is made"`
	SaveLimit  int64  `yaml:"saveLimit" default:"2048" doc:"the most MB of new files that a save takes in"`
}

func defaultWorktreeConfig() *worktreeConfig {
	return &worktreeConfig{Repo: ".", Branch: "blaise/{session}", SaveLimit: 2048}
}

// A worktree is a checkout of its own for each environment: a linked worktree
// of the user's repository, or a clone where a layer further in sees nothing
// but its directory, or where the repository is a mirror: no agent may write
// what the runner fetches into. It keeps no State: what it made is written in Scope.Dir,
// and found again by its names if that is lost.
type worktree struct{ c worktreeConfig }

var (
	_ Plug   = (*worktree)(nil)
	_ Saver  = (*worktree)(nil)
	_ Differ = (*worktree)(nil)
	_ Lister = (*worktree)(nil)

	_ beginner = (*worktree)(nil)
)

func newWorktree(c worktreeConfig) (Plug, error) {
	switch {
	case c.Branch == "":
		return nil, errors.New("branch is empty: leave it out for blaise/{session}")
	case c.SaveLimit <= 0:
		return nil, errors.New("saveLimit: want a number of MB above 0")
	case ByURL(c.Repo) && !strings.Contains(c.Repo, "{input."): // as the file has it; refresh reads what it became
		if err := CheckRepo(c.Repo); err != nil {
			return nil, fmt.Errorf("repo: %w", err)
		}
	}
	return &worktree{c: c}, nil
}

// A site is where the worktree of one environment is, and on which branch.
type site struct {
	repoDir, dir, branch string
	ownDir               bool // dir is in Scope.Dir: whatever is there is ours
	ownBranch            bool // the branch is named after the environment
	mirror               bool // repoDir is a mirror of ours
}

func (w *worktree) site(s Scope) site {
	host := s.Host.Place()
	fill := strings.NewReplacer("{session}", s.Environment, "{environment}", s.Environment)
	at := site{
		repoDir: hostPath(host, w.c.Repo), dir: filepath.Join(s.Dir, s.Environment), ownDir: true,
		branch: fill.Replace(w.c.Branch),
	}
	at.ownBranch = at.branch != w.c.Branch
	if dir, ok := w.mirrored(s); ok {
		at.repoDir, at.mirror = dir, true
	}
	if w.c.Dir != "" {
		at.dir, at.ownDir = hostPath(host, fill.Replace(w.c.Dir)), false
	}
	return at
}

// Open makes the worktree, or takes up the one that is there. A half-made one
// is made again: nobody has worked in it.
func (w *worktree) Open(ctx context.Context, s Scope, outer Env) (Env, error) {
	if !onHost(outer) {
		return nil, errors.New("worktree must come before plugs that leave this machine")
	}
	m, err := loadMade(s.Dir)
	if err != nil {
		return nil, err
	}
	switch {
	case m != nil && m.Whole && isDir(m.Dir):
		s.Restored(nil) // it was to when it was made
		err = w.takeUp(ctx, s, m)
	case s.Opened:
		return nil, fmt.Errorf("open worktree %q: %w", w.site(s).dir, ErrGone)
	default:
		m, err = w.create(ctx, s, m)
	}
	if err != nil {
		return nil, err
	}
	return dirEnv{outer: outer, dir: m.Dir}, nil
}

// takeUp looks that the worktree is still one, and clears the locks that a
// killed git left in it.
func (w *worktree) takeUp(ctx context.Context, s Scope, m *made) error {
	gitDir := filepath.Join(m.Dir, ".git")
	if !m.Clone {
		repo, err := m.open(ctx)
		if err != nil {
			return err
		}
		if gitDir = repo.AdminDir(m.Dir); gitDir == "" {
			return fmt.Errorf("open worktree %q: its entry in %s: %w", m.Dir, m.CommonDir, ErrGone)
		}
	}
	for _, name := range []string{"index.lock", "HEAD.lock"} {
		if lock := filepath.Join(gitDir, name); !git.WaitLock(ctx, lock) {
			note(s, "a git process still holds %s; the agent will find the worktree locked", lock)
		}
	}
	return nil
}

func worktreeResource(repo *git.Repo, dir string) blaise.Resource {
	return blaise.Resource{Kind: blaise.ResourceWorktree, Name: dir, Where: repo.CommonDir,
		From: git.MirroredFrom(repo.CommonDir)}
}

func branchResource(repo *git.Repo, branch string) blaise.Resource {
	return blaise.Resource{Kind: "branch", Name: branch, Where: repo.CommonDir}
}

// note tells the reader of the session something.
func note(s Scope, format string, args ...any) {
	s.Note(transcript.New(transcript.KindNotice, map[string]any{
		"plug": s.ID, "text": fmt.Sprintf(format, args...),
	}))
}

func isDir(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}
