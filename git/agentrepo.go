package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An agentRepo is a repository that an agent could write, read as data: no git
// runs under its configuration.
type agentRepo struct {
	gitDir    string // HEAD and index
	commonDir string // refs and objects
}

var objectID = regexp.MustCompile(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// findAgentRepo reads the .git of a working tree, a directory or a file that
// names one. What it names must be below one of the roots.
func findAgentRepo(tree string, roots ...string) (agentRepo, error) {
	link := filepath.Join(tree, ".git")
	st, err := os.Lstat(link)
	if err != nil {
		return agentRepo{}, err
	}
	dir := link
	if st.Mode().IsRegular() {
		b, err := readSmall(link)
		if err != nil {
			return agentRepo{}, err
		}
		dir = strings.TrimSpace(strings.TrimPrefix(string(b), "gitdir:"))
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(tree, dir)
		}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return agentRepo{}, err
	}
	for _, root := range roots {
		if under(realPath(root), real) {
			a := agentRepo{gitDir: real, commonDir: real}
			if a.borrows() {
				return a, fmt.Errorf("%s borrows objects from elsewhere (objects/info/alternates)", real)
			}
			return a, nil
		}
	}
	return agentRepo{}, fmt.Errorf("%s leads outside, to %s", link, real)
}

func under(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}

// head answers the commit that HEAD names, "" before the first commit.
func (a agentRepo) head() (string, error) {
	if a.gitDir == "" {
		return "", nil // the repository is lost
	}
	b, err := readSmall(filepath.Join(a.gitDir, "HEAD"))
	if err != nil {
		return "", fmt.Errorf("read HEAD: %w", err)
	}
	return a.resolve(strings.TrimSpace(string(b)), 5)
}

func (a agentRepo) resolve(value string, depth int) (string, error) {
	ref, symbolic := strings.CutPrefix(value, "ref: ")
	switch {
	case objectID.MatchString(value):
		return value, nil
	case !symbolic || depth == 0 || !strings.HasPrefix(ref, "refs/") || strings.Contains(ref, ".."):
		return "", fmt.Errorf("read HEAD: cannot make sense of %.60q", value)
	case ref == "refs/heads/.invalid":
		return "", errors.New("read HEAD: its refs are in a format (reftable) that is not known here")
	}
	dir := a.commonDir
	if strings.HasPrefix(ref, "refs/worktree/") || strings.HasPrefix(ref, "refs/bisect/") {
		dir = a.gitDir
	}
	b, err := readSmall(filepath.Join(dir, ref))
	if err == nil {
		return a.resolve(strings.TrimSpace(string(b)), depth-1)
	}
	packed, err := a.packed()
	return packed[ref], err
}

func (a agentRepo) packed() (map[string]string, error) {
	refs := map[string]string{}
	f, err := openRegular(filepath.Join(a.commonDir, "packed-refs"))
	if errors.Is(err, os.ErrNotExist) {
		return refs, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		id, name, ok := strings.Cut(lines.Text(), " ")
		if ok && objectID.MatchString(id) && strings.HasPrefix(name, "refs/") {
			refs[name] = id
		}
	}
	return refs, lines.Err()
}

// refs are all refs below one of the prefixes ("refs/heads/").
func (a agentRepo) refs(prefixes ...string) (map[string]string, error) {
	refs, err := a.packed()
	if err != nil {
		return nil, err
	}
	for name := range refs {
		if !hasAnyPrefix(name, prefixes) {
			delete(refs, name)
		}
	}
	for _, prefix := range prefixes {
		root := filepath.Join(a.commonDir, prefix)
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			rel, _ := filepath.Rel(a.commonDir, path)
			b, err := readSmall(path)
			if id := strings.TrimSpace(string(b)); err == nil && objectID.MatchString(id) {
				refs[rel] = id
			}
			return nil
		})
	}
	return refs, nil
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// objects is the directory to borrow objects from.
func (a agentRepo) objects() (string, error) {
	dir := filepath.Join(a.commonDir, "objects")
	st, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !st.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	return dir, nil
}

// borrows reports whether its objects are partly elsewhere: it could show us,
// under an object's name, what the agent may not see.
func (a agentRepo) borrows() bool {
	for _, name := range []string{"alternates", "http-alternates"} {
		st, err := os.Lstat(filepath.Join(a.commonDir, "objects", "info", name))
		if err == nil && st.Size() > 0 {
			return true
		}
	}
	return false
}

// openRegular opens a file that is no link, pipe or device.
func openRegular(path string) (*os.File, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.Open(path)
}

// readSmall reads at most 64 KB of a regular file.
func readSmall(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 64<<10))
}
