package plug

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

// ByURL reports whether a repo names a repository somewhere else, of which the
// runner keeps a mirror.
func ByURL(repo string) bool { return git.IsURL(repo) }

// AllowedRepo is nil if a repository by URL is one that the patterns of
// runner.repos take; else it says what to add to them.
func AllowedRepo(repo string, patterns []string) error {
	u, err := git.ParseURL(repo)
	if err != nil {
		return err
	}
	return allowed(u, patterns)
}

func allowed(u git.URL, patterns []string) error {
	if !u.Allowed(patterns) {
		return fmt.Errorf("this runner may not fetch %s: to allow it, add it (* stands for any one name in its path) "+
			"to runner.repos in the runner's blaise.yml", u)
	}
	return nil
}

// CheckRepo says what is wrong with a repository by URL.
func CheckRepo(repo string) error {
	_, err := git.ParseURL(repo)
	return err
}

// ShownRepo is how a repository, by URL or not, may be named to anybody.
func ShownRepo(repo string) string { return git.Shown(repo) }

// CheckRepoPattern says what is wrong with an entry of runner.repos.
func CheckRepoPattern(pattern string) error { return git.CheckPattern(pattern) }

// mirrorsDir is where a runner keeps the mirrors, below its state.
func mirrorsDir(state string) string { return filepath.Join(state, "mirrors") }

// mirrored is where the repository is on this machine, given by a URL. One that
// cannot be read has no mirror, and refresh refuses it: it is never a path here.
func (w *worktree) mirrored(s Scope) (dir string, ok bool) {
	if !ByURL(w.c.Repo) {
		return "", false
	}
	u, _ := git.ParseURL(w.c.Repo)
	return filepath.Join(s.Mirrors, u.Name()), true
}

// refresh fetches the mirror of a repository that is given by a URL. What it
// lacks a person must bring: the run is refused, and nothing is lost.
func (w *worktree) refresh(ctx context.Context, s Scope, dir string) error {
	u, err := git.ParseURL(w.c.Repo)
	if err != nil {
		return fmt.Errorf("%w: %w", errAsked, err)
	}
	return mirrorOf(ctx, s, u, dir)
}

// mirrorOf fetches the mirror of u in dir, if runner.repos allows it.
func mirrorOf(ctx context.Context, s Scope, u git.URL, dir string) error {
	if err := allowed(u, s.Repos); err != nil {
		return fmt.Errorf("%w: %w", errAsked, err)
	}
	if _, err := git.Mirror(ctx, dir, u, progress(s)); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("%w: fetch %s: %w", errAsked, u, err)
	}
	return nil
}

// ResourceMirror is the kind of a repository that the runner fetched.
const ResourceMirror = "mirror"

// Mirrors lists the mirrors below a runner's state directory, and the sessions
// of which work is saved in them. They stay, so that the next session fetches
// less, but for those that nobody has fetched for as long as keep and that hold
// nothing of their own: these have no word why they are kept. A keep of 0 keeps
// all.
func Mirrors(ctx context.Context, state string, keep time.Duration) (found []blaise.Resource, err error) {
	names, err := fs.Glob(os.DirFS(mirrorsDir(state)), "*.git")
	for _, name := range names {
		dir := filepath.Join(mirrorsDir(state), name)
		mirror := blaise.Resource{Kind: ResourceMirror, Name: dir, Where: state}
		var keptErr error
		mirror.Kept, keptErr = mirrorKept(ctx, state, dir, keep)
		found, err = append(found, mirror), errors.Join(err, keptErr)
		if git.MirroredFrom(dir) != "" {
			saves, saveErr := listSaves(ctx, &git.Repo{Dir: dir, CommonDir: dir, Bare: true})
			found, err = append(found, saves...), errors.Join(err, saveErr)
		}
	}
	return found, err
}
