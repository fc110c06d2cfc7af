package plug

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

// A Haven is where saved work goes of a mirror that is to be removed.
type Haven interface {
	// Saves are what Blaise has written down of the session's work; deleted: it
	// was, and nobody asks for its work any more.
	Saves(ctx context.Context, id blaise.SessionID) (saves []blaise.SavedWork, deleted bool, err error)
	// Keep answers nil when Blaise has the save as the bundle in file.
	Keep(ctx context.Context, id blaise.SessionID, save blaise.SavedWork, file string) error
}

// EmptyMirror takes the saved work out of a mirror that nobody has fetched for as
// long as keep and no worktree is of: what Blaise has not got yet goes there
// first, that of deleted sessions goes for good. It does nothing to a mirror that
// is in use, or whose source repos do not take any more. What Blaise knows
// nothing of stays, and is the error.
func EmptyMirror(ctx context.Context, state, dir string, keep time.Duration, repos []string, to Haven) error {
	idle := func() bool {
		return keep > 0 && time.Since(git.MirrorUsed(dir)) >= keep && mirrorUser(state, dir) == ""
	}
	if !idle() {
		return nil
	}
	saves, err := (&git.Repo{Dir: dir, CommonDir: dir, Bare: true}).Saves(ctx)
	if err != nil || len(saves) == 0 {
		return err
	}
	from, err := git.MirrorSource(dir)
	if err == nil {
		err = allowed(from, repos)
	}
	if err == nil {
		err = git.InMirror(ctx, dir, from, func(ctx context.Context, repo *git.Repo) error {
			for id := range saves {
				if !idle() { // somebody fetched it meanwhile, and may begin with the work
					return nil
				}
				if err := moveSaves(ctx, repo, blaise.SessionID(id), to); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("send saved work of mirror %s to Blaise: %w", dir, err)
	}
	return nil
}

// moveSaves takes a session's saves out of the repository, when Blaise has them.
func moveSaves(ctx context.Context, repo *git.Repo, id blaise.SessionID, to Haven) error {
	known, deleted, err := to.Saves(ctx, id)
	if err != nil {
		return err
	}
	refs, err := repo.SavesOf(ctx, string(id))
	if err != nil {
		return err
	}
	for _, save := range known {
		ref := saveRef(string(id), save.N)
		if commit, here := refs[ref]; !here || deleted || commit != save.Commit {
			continue
		}
		if err := moveSave(ctx, repo, id, save, to); err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
		if err := repo.Unkeep(ctx, ref); err != nil {
			return err
		}
		delete(refs, ref)
	}
	for ref, commit := range refs {
		if !deleted {
			return fmt.Errorf("%s is at %.12s, of which Blaise knows nothing", ref, commit)
		}
		if err := repo.Unkeep(ctx, ref); err != nil {
			return err
		}
	}
	return nil
}

// moveSave has Blaise have a save.
func moveSave(ctx context.Context, repo *git.Repo, id blaise.SessionID, save blaise.SavedWork, to Haven) error {
	if save.Bundle != "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "blaise-mirror-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, fmt.Sprintf("%s-%d.bundle", id, save.N))
	if err := repo.Bundle(ctx, saveRef(string(id), save.N), save.Base, file); err != nil {
		return fmt.Errorf("bundle the work: %w", err)
	}
	return to.Keep(ctx, id, save, file)
}
