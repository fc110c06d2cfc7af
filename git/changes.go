package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// changes are the paths that a working tree has and its index has not.
type changes struct {
	update []string          // files and links to take in
	remove []string          // gone, or hidden by something else
	links  []string          // index lines of nested repositories
	nested map[string]string // path of a nested repository: the commit the index has
	odd    []string          // what cannot be taken as it is, and why
}

// changes compares the tree with the copy of the agent's index; if git cannot
// make sense of that one, with the index of HEAD.
func (h *hostile) changes(ctx context.Context) (*changes, error) {
	c := &changes{nested: map[string]string{}}
	if !h.fresh && h.plainIndex() {
		if listed, err := h.list(ctx, true); err == nil {
			h.sort(c, listed)
			return c, nil
		}
	}
	var tracked []string
	entries, err := h.entries(ctx)
	if h.fresh && err == nil {
		for _, e := range entries {
			tracked = append(tracked, e.path)
		}
	}
	if h.fresh || err != nil {
		if entries, err = h.renew(ctx); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		if e.mode == "160000" {
			c.nested[e.path] = e.object
		}
	}
	listed, err := h.list(ctx, false)
	if err != nil {
		return nil, err
	}
	h.sort(c, append(tracked, listed...))
	return c, nil
}

// list answers what git sees to have changed, and beside it what is new: one
// looks at files, the other at directories.
func (h *hostile) list(ctx context.Context, plain bool) ([]string, error) {
	var others string
	var othersErr error
	var beside sync.WaitGroup
	beside.Go(func() { others, othersErr = h.others(ctx) })
	changed, err := h.modified(ctx, plain)
	beside.Wait()
	return strings.Split(changed+others, "\x00"), errors.Join(err, othersErr)
}

// modified are the files that differ from the index. Mostly there are none: a
// plain index is first asked that, for git looks with many threads then.
func (h *hostile) modified(ctx context.Context, plain bool) (string, error) {
	if plain {
		if _, err := h.git(ctx, "diff-files", "--quiet", "--ignore-submodules=all"); err == nil {
			return "", nil
		}
	}
	return h.feed(ctx, nil, "ls-files", "-z", "--modified")
}

// others are the files that are neither known nor ignored. A directory that git
// may not read is but a warning to it, and work to us.
func (h *hostile) others(ctx context.Context) (string, error) {
	var said string
	ls := h.command("ls-files", "-z", "--others", "--exclude-standard")
	ls.warnings = &said
	out, err := ls.run(ctx)
	if err == nil && strings.Contains(said, "could not open directory") {
		err = &Error{Verb: "read files", Dir: h.tree, Kind: fs.ErrPermission, Stderr: tail(said)}
	}
	return out, err
}

// renew makes the index that of HEAD.
func (h *hostile) renew(ctx context.Context) ([]entry, error) {
	if err := os.Remove(filepath.Join(h.dir, "index")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if h.head == "" {
		return nil, nil
	}
	if _, err := h.git(ctx, "read-tree", h.head); err != nil {
		return nil, err
	}
	return h.entries(ctx)
}

// An entry is a line of the index.
type entry struct{ path, mode, object string }

// entries lists the index. On the way it clears the flags that make git
// overlook changes: a file that a sparse checkout left out is not there, so one
// that is there is work.
func (h *hostile) entries(ctx context.Context) ([]entry, error) {
	out, err := h.git(ctx, "ls-files", "-z", "-v", "--stage")
	if err != nil {
		return nil, err
	}
	var all []entry
	var assumed, skipped []string
	for line := range strings.SplitSeq(out, "\x00") {
		info, path, ok := strings.Cut(line, "\t")
		f := strings.Fields(info)
		if !ok || len(f) != 4 {
			continue
		}
		if c := f[0][0]; c >= 'a' && c <= 'z' {
			assumed = append(assumed, path)
		}
		if f[0] == "S" || f[0] == "s" {
			if _, err := os.Lstat(filepath.Join(h.tree, path)); err == nil {
				skipped = append(skipped, path)
			}
		}
		all = append(all, entry{path: path, mode: f[1], object: f[2]})
	}
	if err := h.clear(ctx, "--no-assume-unchanged", assumed); err != nil {
		return nil, err
	}
	return all, h.clear(ctx, "--no-skip-worktree", skipped)
}

func (h *hostile) clear(ctx context.Context, flag string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := h.feed(ctx, zeroTerminated(paths), "update-index", flag, "-z", "--stdin")
	return err
}

func (h *hostile) sort(c *changes, paths []string) {
	links := map[string]bool{}
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
		hidden := behindLink(h.tree, path, links)
		switch {
		case nested && err == nil && st.IsDir() && !hidden:
		case err != nil || st.IsDir() || hidden:
			c.remove = append(c.remove, path)
			delete(c.nested, path)
		case !st.Mode().IsRegular() && st.Mode()&os.ModeSymlink == 0:
			c.remove = append(c.remove, path)
			delete(c.nested, path)
			c.odd = append(c.odd, fmt.Sprintf("%q, which is no file any more (%v): it is saved as deleted",
				path, st.Mode().Type()))
		default:
			c.update = append(c.update, path)
			delete(c.nested, path)
		}
	}
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
