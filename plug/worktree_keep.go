package plug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

// A keeper brings a shot of a worktree to where it lasts.
type keeper struct {
	s    Scope
	repo *git.Repo // nil if it is gone
	m    *made
	take git.Snapshot // how the shot was taken
}

func (k keeper) keep(ctx context.Context, shot *git.Shot) (blaise.SavedWork, error) {
	host, _ := os.Hostname() // only shown
	work := blaise.SavedWork{N: k.s.Save, Commit: shot.Commit, Base: k.m.Start, Host: host, At: time.Now().UTC()}
	if k.repo == nil {
		work.Ref = k.bundle(work.N)
		if err := shot.Bundle(ctx, work.Ref); err != nil {
			return work, err
		}
		note(k.s, "repository %s is gone: work saved to %s", k.m.Repo, work.Ref)
		return work, nil
	}
	n, err := freeNumber(ctx, k.repo, k.s.Session, work.N)
	if err != nil {
		return work, err
	}
	if shot.Lost && !k.m.Clone {
		if err := k.repo.MendHead(k.m.Dir, k.m.Start); err != nil {
			return work, err
		}
	}
	work.N, work.Ref, work.Repo = n, saveRef(k.s.Session, n), k.repo.Dir
	err = k.repo.Keep(ctx, shot, work.Ref)
	k.m.Refused = ""
	if errors.Is(err, git.ErrRefused) {
		k.m.Refused = k.heads(shot)
		return k.keepLess(ctx, shot, work, err)
	}
	return k.count(ctx, work, err)
}

func (k keeper) bundle(n int) string {
	return filepath.Join(k.s.Dir, fmt.Sprintf("saved-%d.bundle", n))
}

// heads names the branches of a shot, and where they are.
func (k keeper) heads(shot *git.Shot) string { return fmt.Sprint(shot.Heads) }

// count says how much was saved.
func (k keeper) count(
	ctx context.Context, work blaise.SavedWork, err error,
) (blaise.SavedWork, error) {
	if err == nil {
		work.Files, err = k.repo.Changed(ctx, work.Base, work.Commit)
	}
	return work, err
}

// keepLess is for a repository that refuses the shot for what is in it: it gets
// the shot without what git is known to refuse, or else the files alone, with
// the shot as it is in a bundle beside. If all is refused the bundle is the
// save.
func (k keeper) keepLess(
	ctx context.Context, shot *git.Shot, work blaise.SavedWork, why error,
) (blaise.SavedWork, error) {
	k.take.Aside = true
	commit, err := k.again(ctx, work.Ref)
	if err == nil {
		work.Commit = commit
		return k.count(ctx, work, nil)
	}
	bundle := k.bundle(work.N)
	bundleErr := shot.Bundle(ctx, bundle)
	k.take.Orphan = true
	commit, err = k.again(ctx, work.Ref)
	switch {
	case err != nil && bundleErr != nil:
		return work, errors.Join(why, err, bundleErr)
	case err != nil:
		work.Ref, work.Repo = bundle, ""
		note(k.s, "%s refuses the work: it is saved to %s: %v", k.repo.Dir, bundle, why)
		return work, nil
	case bundleErr != nil:
		note(k.s, "not saved: the commits, only the files: %v", errors.Join(why, bundleErr))
	default:
		note(k.s, "%s refuses commits of the work: %s has the files alone, and %s all: %v",
			k.repo.Dir, work.Ref, bundle, why)
	}
	work.Commit = commit
	return k.count(ctx, work, nil)
}

// again takes a shot in another way and keeps it.
func (k keeper) again(ctx context.Context, ref string) (commit string, err error) {
	shot, err := k.take.Take(ctx)
	if err != nil {
		return "", err
	}
	defer shot.Close()
	if err := k.repo.Keep(ctx, shot, ref); err != nil {
		return "", err
	}
	sayWhatIsNot(k.s, shot)
	return shot.Commit, nil
}
