package plug

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

// sendHome puts a save among the files that Blaise keeps, where this machine
// alone would have it: it goes away, or the repository has.
func (k keeper) sendHome(ctx context.Context, work *blaise.SavedWork) error {
	file := work.Ref
	switch {
	case work.Repo == "" && !k.s.Leaves:
		return k.tryHome(ctx, work) // it is safe where it is
	case work.Repo == "":
	case !k.s.Leaves:
		return nil
	default:
		dir, err := os.MkdirTemp(k.s.Dir, "home-*")
		if err != nil {
			return fmt.Errorf("bundle the work: %w", err)
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, fmt.Sprintf("%s-%d.bundle", k.s.Session, work.N))
		if err := k.repo.Bundle(ctx, work.Ref, work.Base, file); err != nil {
			return fmt.Errorf("bundle the work: %w", err)
		}
	}
	var err error
	if work.Bundle, err = k.s.Files.Put(ctx, file); err != nil {
		return fmt.Errorf("send the work, saved as %s, to Blaise: %w", work.Ref, err)
	}
	beside, err := k.sendRest(ctx, work.N, file)
	if work.Repo == "" { // else it holds the nested ones itself
		work.Beside = beside
	}
	return err
}

// sendRest sends the bundles that a save has left beside: of nested
// repositories, of commits that the repository refuses. It answers the former
// as [blaise.SavedWork] has them.
func (k keeper) sendRest(ctx context.Context, n int, sent string) (map[string]string, error) {
	stem := strings.TrimSuffix(filepath.Base(k.bundle(n)), "bundle")
	beside, err := fs.Glob(os.DirFS(k.s.Dir), stem+"*bundle")
	nested := map[string]string{}
	for _, name := range beside {
		file := filepath.Join(k.s.Dir, name)
		if file == sent {
			continue
		}
		sum, err := k.s.Files.Put(ctx, file)
		if err != nil {
			return nested, fmt.Errorf("send %s to Blaise: %w", file, err)
		}
		if word, ok := strings.CutSuffix(strings.TrimPrefix(name, stem), ".bundle"); ok {
			nested[word] = sum
		}
	}
	return nested, err
}

// tryHome sends a bundle that lasts on this machine, so that others find it.
func (k keeper) tryHome(ctx context.Context, work *blaise.SavedWork) error {
	var err error
	if work.Bundle, err = k.s.Files.Put(ctx, work.Ref); err == nil {
		work.Beside, err = k.sendRest(ctx, work.N, work.Ref)
	}
	if err != nil {
		note(k.s, "%s is on this machine alone: %v", work.Ref, err)
	}
	return nil
}

// fetch brings saved work that is not in the repository into it: from a bundle
// on this machine, else from Blaise. Without any it does nothing.
func fetch(ctx context.Context, s Scope, repo *git.Repo) error {
	file, ref := s.Restore.Ref, restoreRef(s)
	switch {
	case isFile(file):
	case s.Restore.Bundle == "":
		return nil
	default:
		have, err := repo.Ref(ctx, ref)
		if err != nil || have == s.Restore.Commit {
			return err
		}
		dir, err := os.MkdirTemp(s.Dir, "home-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		for name, sum := range s.Restore.Bundles() {
			if err := s.Files.Get(ctx, sum, filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		file = filepath.Join(dir, blaise.MainBundle)
	}
	return repo.Unbundle(ctx, file, ref)
}

// restoreRef is the ref that holds the saved work: its own, be it another
// session's, or the one that a bundle is borrowed as.
func restoreRef(s Scope) string {
	if strings.HasPrefix(s.Restore.Ref, "refs/") {
		return s.Restore.Ref
	}
	return saveRef(s.Session, s.Restore.N)
}
