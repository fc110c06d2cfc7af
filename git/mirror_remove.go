package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// MirrorUsed is when the mirror in dir was fetched last; the zero time if that
// cannot be told.
func MirrorUsed(dir string) time.Time {
	st, err := os.Stat(filepath.Join(dir, fetchLock))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// Own says what a mirror has that its source has not, "" for nothing: saved work,
// and branches that are ours.
func (r *Repo) Own(ctx context.Context) (string, error) {
	if _, err := os.Stat(filepath.Join(r.Dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return "", nil // its first fetch was cut off
	}
	out, err := r.Run(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "refs/blaise", "refs/heads/blaise")
	switch name := strings.TrimSpace(out); {
	case err != nil || name == "":
		return "", err
	case strings.HasPrefix(name, "refs/heads/"):
		return "the branch " + strings.TrimPrefix(name, "refs/heads/"), nil
	}
	return "saved work", nil
}

// gonePrefix is of what is being removed.
const gonePrefix = ".gone-"

// RemoveMirror removes the mirror in dir if may, asked while nobody fetches it,
// answers nil. Whoever wants it meanwhile fetches it anew. One that is being
// fetched is ErrLocked.
func RemoveMirror(ctx context.Context, dir string, may func(context.Context) error) error {
	r := &Repo{Dir: dir, CommonDir: dir, Bare: true}
	gone := filepath.Join(filepath.Dir(dir), gonePrefix+filepath.Base(dir))
	if strings.HasPrefix(filepath.Base(dir), gonePrefix) {
		gone = dir // a removal that was cut off
	}
	err := r.lockedBy(ctx, filepath.Join(dir, fetchLock), 0, func(ctx context.Context) error {
		if err := may(ctx); err != nil || gone == dir {
			return err
		}
		return os.Rename(dir, gone)
	})
	if err == nil {
		err = os.RemoveAll(gone)
	}
	if err != nil {
		return fmt.Errorf("remove mirror: %w", err)
	}
	return nil
}
