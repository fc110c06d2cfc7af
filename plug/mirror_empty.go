package plug

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
// nothing of, or does not take, stays, and is the error; the rest goes all the same.
func EmptyMirror(ctx context.Context, state, dir string, keep time.Duration, repos []string, to Haven) error {
	idle := func() bool {
		return keep > 0 && time.Since(git.MirrorUsed(dir)) >= keep && mirrorUser(state, dir) == ""
	}
	if !idle() {
		return nil
	}
	all, stays, err := partings(ctx, &git.Repo{Dir: dir, CommonDir: dir, Bare: true}, to)
	if err == nil && len(all) > 0 {
		var from git.URL
		if from, err = git.MirrorSource(dir); err == nil {
			err = allowed(from, repos)
		}
		if err == nil {
			err = git.InMirror(ctx, dir, from, func(
				ctx context.Context, repo *git.Repo, fresh func(context.Context) error,
			) error {
				return partAll(ctx, repo, all, idle, fresh, to)
			})
		}
	}
	if err := errors.Join(err, stays); err != nil {
		return fmt.Errorf("send saved work of mirror %s to Blaise: %w", dir, err)
	}
	return nil
}

// A parting is what Blaise knows of a session whose work is in a mirror.
type parting struct {
	session blaise.SessionID
	known   []blaise.SavedWork
	deleted bool
	sends   bool // some of it is in the mirror alone
}

// partings asks Blaise about the sessions whose work is in the mirror, those
// first of which nothing is to be sent; stays says of which it does not answer.
func partings(ctx context.Context, repo *git.Repo, to Haven) (all []parting, stays, err error) {
	saves, err := repo.Saves(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(saves)) {
		p := parting{session: blaise.SessionID(id)}
		p.known, p.deleted, err = to.Saves(ctx, p.session)
		if err != nil {
			stays = errors.Join(stays, err)
			continue
		}
		refs, err := repo.SavesOf(ctx, id)
		if err != nil {
			return nil, nil, err
		}
		p.sends = !p.deleted && slices.ContainsFunc(p.known, func(w blaise.SavedWork) bool {
			return w.Bundle == "" && refs[saveRef(id, w.N)] == w.Commit
		})
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b parting) int {
		switch {
		case a.sends == b.sends:
			return 0
		case b.sends:
			return -1
		}
		return 1
	})
	return all, stays, nil
}

// partAll moves the saves of all sessions, as long as the mirror is idle. Its
// source is fetched when the first save is to be sent.
func partAll(
	ctx context.Context, repo *git.Repo, all []parting, idle func() bool, fresh func(context.Context) error, to Haven,
) (stays error) {
	isFresh := false
	for _, p := range all {
		if !idle() { // somebody fetched it meanwhile, and may begin with the work
			return stays
		}
		if p.sends && !isFresh {
			if err := fresh(ctx); err != nil {
				return errors.Join(stays, err)
			}
			isFresh = true
		}
		stays = errors.Join(stays, moveSaves(ctx, repo, p, to))
	}
	return stays
}

// moveSaves takes a session's saves out of the repository, when Blaise has them.
func moveSaves(ctx context.Context, repo *git.Repo, p parting, to Haven) (stays error) {
	refs, err := repo.SavesOf(ctx, string(p.session))
	if err != nil {
		return err
	}
	for _, save := range p.known {
		ref := saveRef(string(p.session), save.N)
		if commit, here := refs[ref]; !here || p.deleted || commit != save.Commit {
			continue
		}
		delete(refs, ref)
		err := moveSave(ctx, repo, p.session, save, to)
		if err == nil {
			err = repo.Unkeep(ctx, ref)
		}
		if err != nil {
			stays = errors.Join(stays, fmt.Errorf("%s: %w", ref, err))
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if !p.deleted {
			stays = errors.Join(stays, fmt.Errorf("%s is at %.12s, of which Blaise knows nothing", ref, refs[ref]))
			continue
		}
		stays = errors.Join(stays, repo.Unkeep(ctx, ref))
	}
	return stays
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
