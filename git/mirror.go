package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// fetchLock is held by who fetches a mirror, and says from where when that is
// done.
const fetchLock = "fetch.lock"

// fetchWait is how long one who wants a mirror waits for another who fetches it.
const fetchWait = time.Hour

// Mirror fetches the repository at u into dir, a bare repository of ours, and
// opens it. Its branches are those of u, HEAD too, but for blaise/*, which are
// ours; they and refs/blaise stay as they are. Several may call it for one dir:
// they wait for each other, and one fetch does for all that wait. What a killed
// fetch left is removed first (ClearMirror). git asks nobody for a password: it
// has what the user's own git has.
func Mirror(ctx context.Context, dir string, u URL, progress func(Progress)) (*Repo, error) {
	asked := time.Now()
	r := &Repo{Dir: dir, CommonDir: dir, Bare: true}
	for {
		err := r.mirror(ctx, asked, u, progress)
		switch {
		case errors.Is(err, errRemoved):
			continue
		case err != nil:
			return nil, err
		}
		return Open(ctx, dir)
	}
}

// errRemoved is for who waited for a mirror while it was removed.
var errRemoved = errors.New("the mirror was removed")

// mirror fetches once, unless another does it after asked.
func (r *Repo) mirror(ctx context.Context, asked time.Time, u URL, progress func(Progress)) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return fmt.Errorf("make mirror: %w", err)
	}
	lock := filepath.Join(r.Dir, fetchLock)
	return r.lockedBy(ctx, lock, fetchWait, func(ctx context.Context) error {
		if _, err := os.Stat(lock); errors.Is(err, fs.ErrNotExist) {
			return errRemoved
		}
		if fetchedSince(lock, asked, u) {
			return nil // another has just done it
		}
		if err := r.clearLitter(); err != nil {
			return fmt.Errorf("clear mirror: %w", err)
		}
		if err := r.fetchAll(ctx, u, progress); err != nil {
			return explained(err, u)
		}
		return os.WriteFile(lock, []byte(u.text+"\n"), 0o600)
	})
}

// MirroredFrom is the address that the mirror in dir was last fetched from, as it
// may be told to anybody; "" if it never was, whole.
func MirroredFrom(dir string) string {
	from, _ := os.ReadFile(filepath.Join(dir, fetchLock)) // nobody fetched it yet
	return Shown(strings.TrimSpace(string(from)))
}

// fetchedSince reports whether somebody has fetched from u, and from no other
// place since.
func fetchedSince(lock string, asked time.Time, u URL) bool {
	st, err := os.Stat(lock)
	if err != nil || !st.ModTime().After(asked) {
		return false
	}
	from, err := os.ReadFile(lock)
	return err == nil && string(from) == u.text+"\n"
}

var symref = regexp.MustCompile(`(?m)^ref: refs/heads/(\S+)\tHEAD$`)

func (r *Repo) fetchAll(ctx context.Context, u URL, progress func(Progress)) error {
	if _, err := os.Stat(filepath.Join(r.Dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		if _, err := r.Run(ctx, "init", "--quiet", "--bare", "--template=", "."); err != nil {
			return err
		}
	}
	if _, err := r.Run(ctx, "config", "remote.origin.url", u.text); err != nil {
		return err
	}
	head, err := r.far(ctx, u, nil, "ls-remote", "--symref", "--", u.text, "HEAD")
	if err != nil {
		return err
	}
	if m := symref.FindStringSubmatch(head); m != nil && CheckBranch(ctx, m[1]) == nil {
		if _, err := r.Run(ctx, "symbolic-ref", "HEAD", "refs/heads/"+m[1]); err != nil {
			return err
		}
	}
	_, err = r.far(ctx, u, progress, "fetch", "--progress", "--prune", "--force", "--no-recurse-submodules",
		"--no-write-fetch-head", "--", u.text,
		"+refs/heads/*:refs/heads/*", "^refs/heads/blaise/*", "+refs/tags/*:refs/tags/*")
	return err
}

// far runs a git that goes to u: by the transport that u names, or one that the
// user's configuration puts in its place, and by no program.
func (r *Repo) far(ctx context.Context, u URL, progress func(Progress), args ...string) (string, error) {
	allow := "http:https:ssh"
	if u.scheme == "file" {
		allow += ":file"
	}
	env := []string{"GIT_ALLOW_PROTOCOL=" + allow}
	own, err := r.Config(ctx, "core.sshCommand")
	if err != nil {
		return "", err
	}
	if own == "" && os.Getenv("GIT_SSH") == "" && os.Getenv("GIT_SSH_COMMAND") == "" {
		env = append(env, "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	}
	return r.run(ctx, command{dir: r.Dir, args: args, progress: progress, more: env, far: u.scheme != "file"})
}

// explained says what to do where git does not get through.
func explained(err error, u URL) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if u.text != u.String() { // git tells who was to sign in
		e.Stderr = strings.ReplaceAll(e.Stderr, u.user+"@", "")
	}
	if e.Hint != "" {
		return err
	}
	for _, words := range []string{"Authentication failed", "could not read Username", "could not read Password",
		"Permission denied", "terminal prompts disabled", "403", "not found", "Repository not found"} {
		if strings.Contains(e.Stderr, words) {
			e.Hint = "see, as the runner's user: git ls-remote " + u.String()
			break
		}
	}
	return err
}
