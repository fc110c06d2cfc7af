package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// litterAge is how old what a git left must be where nobody can see whether one
// still works: a big pack is silent that long while its deltas are resolved.
const litterAge = time.Hour

// litterOf are the places, in a repository, of what a git writes and takes away
// again before it ends.
var litterOf = []string{
	"*.lock", "objects/pack/tmp_*", "objects/pack/.tmp-*", "objects/pack/*.keep",
	"objects/tmp_*", "objects/[0-9a-f][0-9a-f]/tmp_obj_*",
}

// ClearMirror removes from the mirror in dir what gits that were killed left in
// it, or that found the disk full: halves of packs, and locks. It leaves what
// may be a living git's. A mirror that is being fetched is ErrLocked.
func ClearMirror(ctx context.Context, dir string) error {
	r := &Repo{Dir: dir, CommonDir: dir, Bare: true}
	lock := filepath.Join(dir, fetchLock)
	if _, err := os.Stat(lock); errors.Is(err, fs.ErrNotExist) {
		return nil // no mirror, or one that was never begun
	}
	return r.lockedBy(ctx, lock, 0, func(context.Context) error { return r.clearLitter() })
}

// clearLitter is for who holds the fetch lock. What is listed before a git is
// looked for is none of a git that begins after.
func (r *Repo) clearLitter() (err error) {
	litter := r.litter()
	if len(litter) == 0 {
		return nil
	}
	busy, sure := worked(r.Dir)
	if busy {
		return nil
	}
	for path, at := range litter {
		if age := time.Since(at); age < staleAge || !sure && age < litterAge {
			continue
		}
		if gone := os.RemoveAll(path); gone != nil {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// litter are the files, and when they were written last.
func (r *Repo) litter() map[string]time.Time {
	found := map[string]time.Time{}
	add := func(path string, d fs.FileInfo, err error) {
		switch filepath.Base(path) {
		case fetchLock, blaiseLock: // ours, and never removed
			return
		}
		if err == nil && (!strings.HasSuffix(path, ".keep") || keptByFetch(path)) {
			found[path] = d.ModTime()
		}
	}
	for _, pattern := range litterOf {
		paths, _ := filepath.Glob(filepath.Join(escapeGlob(r.Dir), pattern))
		for _, path := range paths {
			st, err := os.Lstat(path)
			add(path, st, err)
		}
	}
	_ = filepath.WalkDir(filepath.Join(r.Dir, "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") && d.Type().IsRegular() {
			st, err := d.Info()
			add(path, st, err)
		}
		return nil // what cannot be read is nobody's litter
	})
	return found
}

// keptByFetch says that a pack is kept for a fetch that has not set its refs, and
// not by a person's word.
func keptByFetch(path string) bool {
	why, err := os.ReadFile(path)
	return err == nil && bytes.HasPrefix(why, []byte("fetch-pack "))
}
