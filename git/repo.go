package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Repo is a repository of the user: trusted. Its methods are safe for
// concurrent use, by several processes too.
type Repo struct {
	Dir       string // the top of the working tree; the git directory if bare
	CommonDir string
	Bare      bool
}

// Open finds the repository that dir is in. It answers ErrNotRepository,
// ErrOwnership or ErrNoGit in the chain.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r := &Repo{Dir: dir}
	// --show-toplevel comes last: in a bare repository it fails after the rest.
	out, err := r.Run(ctx, "rev-parse", "--path-format=absolute",
		"--git-common-dir", "--is-bare-repository", "--show-toplevel")
	if strings.Contains(out, "\ntrue\n") {
		err = nil
	}
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Kind == ErrNotRepository {
			e.Verb, e.Stderr = "open repository", ""
			e.Hint = "name the directory of a git repository in repo, or run git init there"
		}
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) < 2 || lines[1] == "false" && len(lines) != 3 {
		return nil, &Error{Verb: "open repository", Dir: dir, Kind: ErrBroken, Stderr: out}
	}
	r.CommonDir, r.Bare = lines[0], lines[1] == "true"
	if r.Bare {
		r.Dir = r.CommonDir
		return r, nil
	}
	r.Dir = lines[2]
	return r, nil
}

// trustedConfig goes before every command in a user's repository.
var trustedConfig = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false",
}

// Run runs git in the repository and answers its stdout. A lock file that
// nobody holds any more is removed, one that somebody holds is waited for, up
// to five seconds; so is a worktree that goes while git walks over them all.
func (r *Repo) Run(ctx context.Context, args ...string) (string, error) {
	return r.run(ctx, command{dir: r.Dir, args: args})
}

func (r *Repo) run(ctx context.Context, c command) (string, error) {
	c.config = append(slices.Clone(trustedConfig), c.config...)
	c.env = cleanEnv("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
		"GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS")
	c.env = append(c.env, c.more...)
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		out, err := c.run(ctx)
		var e *Error
		if !errors.As(err, &e) || e.Kind != ErrLocked && e.Kind != ErrVanished || wait > 3*time.Second {
			return out, err
		}
		if e.Kind == ErrLocked && ClearLock(e.Where) {
			continue
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return "", err
		}
	}
}

// Resolve answers the commit that rev names. ErrEmpty and ErrNoRevision, with
// the names that come nearest, are in the chain.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	out, err := r.Run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if id := strings.TrimSpace(out); err == nil && objectID.MatchString(id) {
		return id, nil
	}
	if ctx.Err() != nil {
		return "", err
	}
	e := &Error{Verb: "find " + rev, Dir: r.Dir, Kind: ErrNoRevision}
	names, listErr := r.names(ctx)
	switch {
	case listErr != nil:
		return "", listErr
	case len(names) == 0:
		e.Kind, e.Hint = ErrEmpty, "make a first commit"
	default:
		e.Hint = "there are: " + strings.Join(nearest(rev, names, 4), ", ")
	}
	return "", e
}

func (r *Repo) names(ctx context.Context) ([]string, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname:short)",
		"refs/heads", "refs/remotes", "refs/tags")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(out), func(name string) bool {
		return strings.HasPrefix(name, "blaise/") // nobody begins a session on another's branch
	}), nil
}

// nearest are the n names most like rev: those that hold it first.
func nearest(rev string, names []string, n int) []string {
	score := func(name string) int {
		switch {
		case strings.HasSuffix(name, "/"+rev):
			return 0
		case strings.Contains(name, rev) || strings.Contains(rev, name):
			return 1
		}
		shared := 0
		for shared < min(len(rev), len(name)) && rev[shared] == name[shared] {
			shared++
		}
		return 100 - shared
	}
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return score(a) - score(b) })
	return names[:min(n, len(names))]
}

// HeadBranch is the branch HEAD is on, "HEAD" if it is on none.
func (r *Repo) HeadBranch(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	var e *Error
	if errors.As(err, &e) && e.Code == 1 {
		return "HEAD", nil
	}
	return strings.TrimSpace(out), err
}

// Branch answers the commit of a branch, "" if there is none of that name.
func (r *Repo) Branch(ctx context.Context, name string) (string, error) {
	return r.Ref(ctx, "refs/heads/"+name)
}

// Ref answers what a ref holds, "" if there is no such ref.
func (r *Repo) Ref(ctx context.Context, ref string) (string, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", ref)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if id, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == ref {
			return id, nil
		}
	}
	return "", nil
}

// Contains reports whether commit is an ancestor of in, or the same.
func (r *Repo) Contains(ctx context.Context, in, commit string) (bool, error) {
	_, err := r.Run(ctx, "merge-base", "--is-ancestor", commit, in)
	var e *Error
	if errors.As(err, &e) && e.Code == 1 {
		return false, nil
	}
	return err == nil, err
}

// Dirty reports whether the user's own working tree has uncommitted changes.
func (r *Repo) Dirty(ctx context.Context) (bool, error) {
	if r.Bare {
		return false, nil
	}
	// One thread will do: it runs beside a checkout, which is not to be slowed
	// down by as many threads as there are thousands of files.
	out, err := r.Run(ctx, "-c", "core.preloadIndex=false", "status", "--porcelain",
		"--untracked-files=no", "--ignore-submodules=all")
	return out != "", err
}

// Config answers a value of the user's configuration, "" if there is none.
func (r *Repo) Config(ctx context.Context, key string) (string, error) {
	out, err := r.Run(ctx, "config", "--get", key)
	var e *Error
	if errors.As(err, &e) && e.Code == 1 {
		return "", nil
	}
	return strings.TrimSuffix(out, "\n"), err
}

// plainBranch is a name that git takes for sure; all others are asked for.
var plainBranch = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(/[A-Za-z0-9][A-Za-z0-9_-]*)*$`)

// CheckBranch refuses a name that cannot be a branch.
func CheckBranch(ctx context.Context, name string) error {
	if plainBranch.MatchString(name) && name != "HEAD" && len(name) <= 200 {
		return nil
	}
	c := command{dir: "/", args: []string{"check-ref-format", "--branch", name}, env: cleanEnv()}
	if _, err := c.run(ctx); err != nil {
		if errors.Is(err, ErrNoGit) {
			return err
		}
		return fmt.Errorf("%q cannot be the name of a branch", name)
	}
	return nil
}

// Excludes is the user's own file of ignored names.
func (r *Repo) Excludes(ctx context.Context, home string) string {
	out, err := r.Run(ctx, "config", "--type=path", "--get", "core.excludesFile")
	if file := strings.TrimSuffix(out, "\n"); err == nil && file != "" {
		return file
	}
	return filepath.Join(home, ".config", "git", "ignore")
}

// Branches are the branches whose name begins with prefix.
func (r *Repo) Branches(ctx context.Context, prefix string) ([]string, error) {
	out, err := r.Run(ctx, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
	var found []string
	for name := range strings.Lines(out) {
		if name = strings.TrimSpace(name); strings.HasPrefix(name, prefix) {
			found = append(found, name)
		}
	}
	return found, err
}

// Changed counts the files that differ between two commits.
func (r *Repo) Changed(ctx context.Context, a, b string) (int, error) {
	out, err := r.Run(ctx, "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", a, b, "--")
	return strings.Count(out, "\x00"), err
}

// Lacks reports whether the shot holds branches or tags with commits that the
// repository has not.
func (r *Repo) Lacks(ctx context.Context, s *Shot) bool {
	lacking, err := r.lacking(ctx, s.Heads)
	if err != nil || len(lacking) > 0 {
		return true
	}
	for name, id := range s.Heads {
		if strings.HasPrefix(name, "refs/tags/") {
			continue
		}
		if have, err := r.has(ctx, id); err != nil || !have {
			return true
		}
	}
	return false
}
