package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// MirrorSource is the address that the mirror in dir was last fetched from.
func MirrorSource(dir string) (URL, error) {
	from, err := os.ReadFile(filepath.Join(dir, fetchLock))
	if err != nil {
		return URL{}, fmt.Errorf("read source of mirror: %w", err)
	}
	return ParseURL(strings.TrimSpace(string(from)))
}

// InMirror runs do in the mirror in dir, when it has all that its source has by
// now, and while nobody fetches it. That is no use of it: MirrorUsed stays. One
// that is being fetched is ErrLocked.
func InMirror(ctx context.Context, dir string, u URL, do func(context.Context, *Repo) error) error {
	r := &Repo{Dir: dir, CommonDir: dir, Bare: true}
	return r.lockedBy(ctx, filepath.Join(dir, fetchLock), 0, func(ctx context.Context) error {
		if err := r.fetchAll(ctx, u, nil); err != nil {
			return explained(err, u)
		}
		return do(ctx, r)
	})
}

// published are the options of git rev-list for what the repository's source
// has: in a mirror that is all but what is ours.
func (r *Repo) published() []string {
	if r.isMirror() {
		return []string{"--exclude=blaise/*", "--branches"}
	}
	return []string{"--remotes"}
}

// hasPublished reports whether the source has the commit.
func (r *Repo) hasPublished(ctx context.Context, commit string) (bool, error) {
	in := "refs/remotes"
	if r.isMirror() {
		in = "refs/heads"
	}
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname)", "--contains", commit, in)
	for name := range strings.Lines(out) {
		if !strings.HasPrefix(name, "refs/heads/blaise/") {
			return true, err
		}
	}
	return false, err
}

func (r *Repo) isMirror() bool { return r.Bare && MirroredFrom(r.CommonDir) != "" }
