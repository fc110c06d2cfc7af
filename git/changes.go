package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// changes are the paths that a working tree has and its index has not.
type changes struct {
	update []string          // files and links to take in
	remove []string          // gone, or hidden by something else
	links  []string          // index lines of nested repositories
	nested map[string]string // path of a nested repository: the commit the index has
}

// changes compares the tree with the copy of the agent's index; if git cannot
// make sense of that one, with the index of HEAD.
func (h *hostile) changes(ctx context.Context) (*changes, error) {
	entries, err := h.entries(ctx)
	if err != nil {
		if err := os.Remove(filepath.Join(h.dir, "index")); err != nil {
			return nil, err
		}
		head, headErr := h.agent.head()
		if headErr == nil && head != "" {
			_, headErr = h.git(ctx, "read-tree", head)
		}
		if headErr != nil {
			return nil, headErr
		}
		if entries, err = h.entries(ctx); err != nil {
			return nil, err
		}
	}
	c := &changes{nested: entries}
	out, err := h.git(ctx, "ls-files", "-z", "--modified", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	return c, h.sort(c, out)
}

// entries are the nested repositories in the index. On the way it clears the
// flags that make git overlook changes.
func (h *hostile) entries(ctx context.Context) (map[string]string, error) {
	nested := map[string]string{}
	out, err := h.git(ctx, "ls-files", "-z", "-v", "--stage")
	if err != nil {
		return nil, err
	}
	var hidden []string
	for line := range strings.SplitSeq(out, "\x00") {
		info, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(info)
		if !ok || len(f) != 4 {
			continue
		}
		if c := f[0][0]; c >= 'a' && c <= 'z' {
			hidden = append(hidden, path)
		}
		if f[1] == "160000" {
			nested[path] = f[2]
		}
	}
	if len(hidden) > 0 {
		_, err = h.feed(ctx, zeroTerminated(hidden),
			"update-index", "--no-assume-unchanged", "-z", "--stdin")
	}
	return nested, err
}

func (h *hostile) sort(c *changes, listed string) error {
	links := map[string]bool{}
	paths := strings.Split(strings.TrimSuffix(listed, "\x00"), "\x00")
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if path == "" {
			continue
		}
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			if _, known := c.nested[dir]; !known {
				c.nested[dir] = ""
			}
			continue
		}
		st, err := os.Lstat(filepath.Join(h.tree, path))
		_, nested := c.nested[path]
		switch {
		case nested && err == nil && st.IsDir():
		case err != nil || st.IsDir() || behindLink(h.tree, path, links):
			c.remove = append(c.remove, path)
			delete(c.nested, path)
		default:
			c.update = append(c.update, path)
			delete(c.nested, path)
		}
	}
	return nil
}

// behindLink reports whether a directory on the way to path is a link: what is
// behind it is not the tree's.
func behindLink(tree, path string, known map[string]bool) bool {
	dir := filepath.Dir(path)
	if dir == "." {
		return false
	}
	if is, ok := known[dir]; ok {
		return is
	}
	st, err := os.Lstat(filepath.Join(tree, dir))
	is := err == nil && st.Mode()&os.ModeSymlink != 0 || behindLink(tree, dir, known)
	known[dir] = is
	return is
}

// stage brings the copy of the index up to the tree.
func (h *hostile) stage(ctx context.Context, c *changes, limit int64) error {
	if err := h.checkSize(c.update, limit); err != nil {
		return err
	}
	if len(c.remove) > 0 {
		if _, err := h.feed(ctx, zeroTerminated(c.remove),
			"update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	if len(c.update) > 0 {
		if _, err := h.feed(ctx, zeroTerminated(c.update),
			"update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
			return err
		}
	}
	if len(c.links) > 0 {
		_, err := h.feed(ctx, zeroTerminated(c.links),
			"update-index", "--add", "--replace", "-z", "--index-info")
		return err
	}
	return nil
}

func (h *hostile) checkSize(paths []string, limit int64) error {
	var total, most int64
	var largest string
	for _, path := range paths {
		st, err := os.Lstat(filepath.Join(h.tree, path))
		if err != nil {
			continue
		}
		total += st.Size()
		if st.Size() >= most {
			largest, most = path, st.Size()
		}
	}
	if limit == 0 || total <= limit {
		return nil
	}
	return &Error{Verb: "save", Dir: h.tree, Kind: ErrTooLarge,
		Stderr: fmt.Sprintf("%d MB of new files, the limit is %d MB, the largest is %s with %d MB",
			total>>20, limit>>20, largest, most>>20),
		Hint: "put what need not be saved into .gitignore, or raise saveLimit in blaise.yml"}
}

func zeroTerminated(paths []string) []byte {
	return []byte(strings.Join(paths, "\x00") + "\x00")
}
