package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// emptyTrees are the trees without files, of both formats.
var emptyTrees = []string{
	"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

// takeNested takes nested repositories, linked worktrees and submodules as
// shots of their own, and puts their commits into the tree as git does.
func (s Snapshot) takeNested(ctx context.Context, h *hostile, shot *Shot, c *changes) error {
	beside := s.addLinked(c)
	for _, path := range slices.Sorted(maps.Keys(c.nested)) {
		was := c.nested[path]
		if !isDir(filepath.Join(s.Tree, path)) || behindLink(s.Tree, path, map[string]bool{}) {
			continue // gone, or not of the tree: sort saw to it
		}
		taken, err := s.takeOne(ctx, h, shot, path)
		if err != nil {
			return err
		}
		if taken == nil {
			continue
		}
		if taken.Commit == was && len(taken.Heads) == 0 {
			if err := taken.Close(); err != nil {
				return err
			}
			continue
		}
		shot.Nested = append(shot.Nested, taken)
		if was == "" || !taken.plain { // a submodule's link names a commit of its own
			c.links = append(c.links, "160000 "+taken.Commit+"\t"+path)
		}
	}
	for _, path := range beside {
		if taken, err := s.takeOne(ctx, h, shot, path); err != nil {
			return err
		} else if taken != nil {
			shot.Nested = append(shot.Nested, taken)
		}
	}
	return nil
}

// addLinked adds the linked worktrees that git's list of files does not show,
// for they are ignored, and answers those that are beside the tree.
func (s Snapshot) addLinked(c *changes) (beside []string) {
	links := map[string]bool{}
	for _, dir := range s.Linked {
		rel, err := filepath.Rel(realPath(s.Tree), realPath(dir))
		switch {
		case err != nil || rel == "." || !isDir(dir):
		case strings.HasPrefix(rel, ".."):
			beside = append(beside, rel)
		case !behindLink(s.Tree, rel, links) && !c.inNested(rel):
			c.nested[rel] = ""
		}
	}
	return beside
}

func (c *changes) inNested(path string) bool {
	for ; path != "."; path = filepath.Dir(path) {
		if _, ok := c.nested[path]; ok {
			return true
		}
	}
	return false
}

// takeOne takes a nested repository: as one if that can be, else its files. It
// answers nil if there is nothing of it.
func (s Snapshot) takeOne(ctx context.Context, h *hostile, shot *Shot, path string) (*Shot, error) {
	sub := s.below(path, h)
	taken, err := sub.takeAsIs(ctx)
	if err != nil && !outer(ctx, err) {
		if empty(sub.Tree) {
			return nil, nil // a submodule that was never checked out
		}
		taken, err = sub.takePlain(ctx, err)
	}
	if err != nil {
		return nil, fmt.Errorf("nested repository %q: %w", path, err)
	}
	for _, what := range taken.Skipped {
		shot.Skipped = append(shot.Skipped, fmt.Sprintf("of nested repository %q %s", path, what))
	}
	taken.Path = path
	if taken.plain && len(taken.Nested) == 0 && slices.Contains(emptyTrees, taken.Tree) {
		return nil, taken.Close()
	}
	return taken, nil
}

// below is how to take what is nested at path.
func (s Snapshot) below(path string, h *hostile) Snapshot {
	sub := s
	sub.Tree, sub.nested, sub.wide = filepath.Join(s.Tree, path), true, h.wide
	sub.GitDir, sub.Common, sub.Home, sub.Start, sub.Linked, sub.Orphan = "", "", "", "", nil, false
	sub.Roots = append([]string{s.Tree}, s.Roots...)
	if h.agent.commonDir != "" {
		sub.family = append(slices.Clone(s.family), realPath(h.agent.commonDir))
	}
	return sub
}

// takePlain takes the files of a repository that cannot be taken as one.
func (s Snapshot) takePlain(ctx context.Context, why error) (*Shot, error) {
	noGit := errors.Is(why, fs.ErrNotExist)
	s.Orphan = true
	taken, err := s.takeAsIs(ctx)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	if s.nested && noGit && slices.Contains(emptyTrees, taken.Tree) {
		return taken, nil
	}
	taken.Skipped = append([]string{fmt.Sprintf("the history (the files are): %v", why)}, taken.Skipped...)
	return taken, nil
}

// keepOwn leaves of a nested repository's branches those that are nowhere else:
// not where HEAD is, nor where a branch of a remote is.
func (s Snapshot) keepOwn(shot *Shot, agent agentRepo) error {
	if slices.Contains(s.family, agent.commonDir) {
		shot.Heads = nil // they are the outer repository's
		return nil
	}
	remote, err := agent.refs("refs/remotes/")
	if err != nil {
		return err
	}
	known := slices.Collect(maps.Values(remote))
	maps.DeleteFunc(shot.Heads, func(_, id string) bool {
		return id == shot.Head || slices.Contains(known, id)
	})
	return nil
}

func isDir(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}

func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}

// outer reports whether an error is none of the tree's: to take less of it
// would not help.
func outer(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrNoSpace) ||
		errors.Is(err, ErrNoGit) || errors.Is(err, fs.ErrPermission)
}
