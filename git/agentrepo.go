package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
// names one. What it names must be a linked worktree of the family, common
// directories that are known to us, or below one of the roots, and so must the
// objects that it borrows. With an error it answers gitDir alone if that is
// below a root.
func findAgentRepo(tree string, family, roots []string) (agentRepo, error) {
	real, err := gitDirOf(tree)
	if err != nil {
		return agentRepo{}, err
	}
	above := filepath.Dir(real)
	for _, common := range family {
		if above == filepath.Join(common, "worktrees") {
			return agentRepo{gitDir: real, commonDir: common}, nil
		}
	}
	if !underAny(roots, real) {
		return agentRepo{}, fmt.Errorf("%s leads outside, to %s", filepath.Join(tree, ".git"), real)
	}
	a := agentRepo{gitDir: real, commonDir: real}
	if _, err := os.Lstat(filepath.Join(real, "commondir")); err == nil {
		if a.commonDir = filepath.Dir(above); !underAny(roots, a.commonDir) {
			return agentRepo{gitDir: real}, fmt.Errorf("%s leads outside", filepath.Join(real, "commondir"))
		}
	}
	if err := a.mayBorrow(family, roots); err != nil {
		return agentRepo{gitDir: real}, err
	}
	return a, nil
}

// gitDirOf is where the .git of a working tree leads, links resolved.
func gitDirOf(tree string) (string, error) {
	link := filepath.Join(tree, ".git")
	st, err := os.Lstat(link)
	if err != nil {
		return "", err
	}
	dir := link
	if st.Mode().IsRegular() {
		b, err := readSmall(link)
		if err != nil {
			return "", err
		}
		dir = strings.TrimSpace(strings.TrimPrefix(string(b), "gitdir:"))
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(tree, dir)
		}
	}
	return filepath.EvalSymlinks(dir)
}

func under(root, path string) bool {
	return path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/")
}

func underAny(roots []string, path string) bool {
	for _, root := range roots {
		if under(realPath(root), path) {
			return true
		}
	}
	return false
}

// head answers the commit that HEAD names, "" before the first commit.
func (a agentRepo) head() (string, error) {
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

// refs are all refs below one of the prefixes ("refs/heads/"), with an error
// those that could be read.
func (a agentRepo) refs(prefixes ...string) (map[string]string, error) {
	refs, packedErr := a.packed()
	if refs == nil {
		refs = map[string]string{}
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
	return refs, packedErr
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

// mayBorrow refuses objects that are elsewhere, where they could show us, under
// an object's name, what the agent may not see. The family's may be borrowed,
// and those below the roots that borrow from none in their turn.
func (a agentRepo) mayBorrow(family, roots []string) error {
	if a.has("http-alternates") {
		return fmt.Errorf("%s borrows objects from the net (objects/info/http-alternates)", a.commonDir)
	}
	if !a.has("alternates") {
		return nil
	}
	objects := filepath.Join(a.commonDir, "objects")
	b, err := readSmall(filepath.Join(objects, "info", "alternates"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(b)) {
		from := strings.TrimSuffix(line, "\n")
		if from == "" || from[0] == '#' {
			continue
		}
		if !filepath.IsAbs(from) {
			from = filepath.Join(objects, from)
		}
		common := filepath.Dir(realPath(from))
		lender := agentRepo{commonDir: common}
		known := filepath.Base(from) == "objects" && (slices.Contains(family, common) ||
			underAny(roots, common) && !lender.has("alternates") && !lender.has("http-alternates"))
		if !known {
			return fmt.Errorf("%s borrows objects from elsewhere (objects/info/alternates: %.200q)",
				a.commonDir, from)
		}
	}
	return nil
}

// has reports whether a file of the objects' own directory has content.
func (a agentRepo) has(info string) bool {
	st, err := os.Lstat(filepath.Join(a.commonDir, "objects", "info", info))
	return err == nil && st.Size() > 0
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
