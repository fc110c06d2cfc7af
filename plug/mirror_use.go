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

// mirrorKept is why a mirror stays, "" if nobody has fetched it for as long as
// keep, no worktree is of it and nothing is in it that only it has. A keep of 0
// keeps all.
func mirrorKept(ctx context.Context, state, dir string, keep time.Duration) (string, error) {
	kept := "never fetched whole"
	if from := git.MirroredFrom(dir); from != "" {
		kept = "fetched from " + from
	}
	if keep <= 0 || time.Since(git.MirrorUsed(dir)) < keep {
		return kept, nil
	}
	if by := mirrorUser(state, dir); by != "" {
		return kept + ", in use by " + by, nil
	}
	own, err := (&git.Repo{Dir: dir, CommonDir: dir, Bare: true}).Own(ctx)
	if err != nil {
		return kept, fmt.Errorf("look into mirror %s: %w", dir, err)
	}
	if own != "" {
		return kept + ", has " + own, nil
	}
	return "", nil
}

// mirrorUser is an environment with a worktree of the mirror, "" if there is
// none. One of which that cannot be told counts.
func mirrorUser(state, dir string) string {
	environments := filepath.Join(state, environmentsName)
	files, _ := fs.Glob(os.DirFS(environments), "*/*/"+madeFile)
	for _, file := range files {
		m, err := loadMade(filepath.Dir(filepath.Join(environments, file)))
		if err != nil || m != nil && git.SamePath(m.CommonDir, dir) {
			return string(environmentOf(file))
		}
	}
	return ""
}

// environmentOf is the environment in whose directory a file lies.
func environmentOf(file string) blaise.EnvironmentID {
	return blaise.EnvironmentID(filepath.Base(filepath.Dir(filepath.Dir(file))))
}

// RemoveMirror removes a mirror below a runner's state directory, unless there
// is a reason to keep it by now: that is the error then.
func RemoveMirror(ctx context.Context, state, dir string, keep time.Duration) error {
	if !git.SamePath(filepath.Dir(dir), mirrorsDir(state)) {
		return fmt.Errorf("remove mirror: %s is none of %s", dir, state)
	}
	return git.RemoveMirror(ctx, dir, func(ctx context.Context) error {
		kept, err := mirrorKept(ctx, state, dir, keep)
		if err == nil && kept != "" {
			err = fmt.Errorf("mirror %s stays: %s", dir, kept)
		}
		return err
	})
}

// RemoveUnused removes a mirror if nothing keeps it.
func RemoveUnused(ctx context.Context, state, dir string, keep time.Duration) (removed bool, err error) {
	kept, err := mirrorKept(ctx, state, dir, keep)
	if err != nil || kept != "" {
		return false, err
	}
	err = RemoveMirror(ctx, state, dir, keep)
	return err == nil, err
}

// ClearMirror removes what killed fetches left in a mirror, unless somebody is
// fetching it: then that one does.
func ClearMirror(ctx context.Context, dir string) error {
	err := git.ClearMirror(ctx, dir)
	if errors.Is(err, git.ErrLocked) {
		return nil
	}
	return err
}
