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

// InMirror runs do in the mirror in dir while nobody fetches it; fresh brings all
// that its source u has by now. That is no use of it: MirrorUsed stays. One that
// is being fetched is ErrLocked.
func InMirror(
	ctx context.Context, dir string, u URL, do func(ctx context.Context, r *Repo, fresh func(context.Context) error) error,
) error {
	r := &Repo{Dir: dir, CommonDir: dir, Bare: true}
	return r.lockedBy(ctx, filepath.Join(dir, fetchLock), 0, func(ctx context.Context) error {
		return do(ctx, r, func(ctx context.Context) error {
			if err := r.fetchAll(ctx, u, nil); err != nil {
				return explained(err, u)
			}
			return nil
		})
	})
}

// trunk is the ref that is where the default branch of the repository's source
// was when it was last fetched, "" where that cannot be told.
func (r *Repo) trunk(ctx context.Context) (string, error) {
	names := []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master"}
	if r.isMirror() {
		head, err := r.Run(ctx, "symbolic-ref", "HEAD")
		if err != nil {
			return "", err
		}
		names = []string{strings.TrimSpace(head)}
	}
	for _, name := range names {
		if strings.HasPrefix(name, "refs/heads/blaise/") { // ours, whatever the source has by that name
			continue
		}
		if commit, err := r.Ref(ctx, name); err != nil || commit != "" {
			return name, err
		}
	}
	return "", nil
}

func (r *Repo) isMirror() bool { return r.Bare && MirroredFrom(r.CommonDir) != "" }
