package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Snapshot says what of a working tree to take, all of it hostile: commits,
// changed files, and untracked ones that are not ignored.
type Snapshot struct {
	Tree     string   // the working tree
	GitDir   string   // its git directory (HEAD, index); "": the .git in Tree
	Common   string   // its refs and objects, with GitDir
	Roots    []string // where git directories of nested repositories may be, beside Tree
	Scratch  string   // a directory of ours for temporary files, on a disk with room
	Excludes string   // the user's own file of ignored names, or ""
	Limit    int64    // the most bytes of files to take in; 0: no limit
	Message  string   // of the commit that holds what was not committed
	Orphan   bool     // the objects are lost: take the files alone, without history
}

// A Shot is a working tree as a commit, in a bare repository of ours that lasts
// until Close.
type Shot struct {
	Commit  string // Head itself if nothing was uncommitted
	Tree    string
	Head    string            // what HEAD named, "" before the first commit
	Path    string            // of a nested repository, below the tree; "" for the tree itself
	Dirty   bool              // there was something uncommitted
	Heads   map[string]string // the other branches and the stash
	Nested  []*Shot
	Skipped []string // what could not be taken, and why, in words
	dir     string
	objects string
}

// uncommittedMark is the line that tells a commit of uncommitted work from the
// agent's own, when it is restored.
const uncommittedMark = "Blaise-Uncommitted: true"

// Take makes the shot. ErrTooLarge is in the chain if it is over the limit.
func (s Snapshot) Take(ctx context.Context) (*Shot, error) {
	agent, err := s.agent()
	if err != nil {
		return nil, err
	}
	shot := &Shot{}
	if shot.Head, err = agent.head(); err != nil {
		return nil, err
	}
	h, err := newHostile(s, agent, shot.Head)
	if err != nil {
		return nil, err
	}
	shot.dir, shot.objects = h.dir, agent.commonDir
	if err := s.fill(ctx, h, shot); err != nil {
		return nil, errors.Join(err, shot.Close())
	}
	return shot, nil
}

func (s Snapshot) agent() (agentRepo, error) {
	switch {
	case s.Orphan:
		return agentRepo{}, nil
	case s.GitDir == "":
		return findAgentRepo(s.Tree, append(s.Roots, s.Tree)...)
	}
	return agentRepo{gitDir: s.GitDir, commonDir: s.Common}, nil
}

func (s Snapshot) fill(ctx context.Context, h *hostile, shot *Shot) error {
	changes, err := h.changes(ctx)
	if err != nil {
		return err
	}
	if err := s.takeNested(ctx, h, shot, changes); err != nil {
		return err
	}
	if err := h.stage(ctx, changes, s.Limit); err != nil {
		return err
	}
	if shot.Tree, err = h.git(ctx, "write-tree"); err != nil {
		return err
	}
	if shot.Commit, err = h.commit(ctx, shot, s.Message); err != nil {
		return err
	}
	shot.Dirty = shot.Commit != shot.Head
	if h.agent.commonDir != "" {
		shot.Heads, err = h.agent.refs("refs/heads/", "refs/stash")
	}
	return err
}

// takeNested takes nested repositories and submodules as shots of their own,
// and puts their commits into the tree as git does. One that cannot be taken is
// said so and does not stop the rest: its files are not the tree's.
func (s Snapshot) takeNested(ctx context.Context, h *hostile, shot *Shot, c *changes) error {
	for path, was := range c.nested {
		sub := s
		sub.Tree, sub.GitDir, sub.Common = filepath.Join(s.Tree, path), "", ""
		sub.Roots = append([]string{s.Tree}, s.Roots...)
		if _, err := os.Lstat(filepath.Join(sub.Tree, ".git")); errors.Is(err, os.ErrNotExist) {
			continue // a submodule that was never checked out
		}
		taken, err := sub.Take(ctx)
		if ctx.Err() != nil || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrNoSpace) {
			return fmt.Errorf("nested repository %q: %w", path, err)
		}
		if err != nil {
			shot.Skipped = append(shot.Skipped, fmt.Sprintf("nested repository %q: %v", path, err))
			continue
		}
		taken.Path = path
		if taken.Commit == "" || taken.Commit == was {
			if err := taken.Close(); err != nil {
				return err
			}
			continue
		}
		shot.Nested = append(shot.Nested, taken)
		c.links = append(c.links, "160000 "+taken.Commit+"\t"+path)
	}
	return nil
}

// Fingerprint is the same for two shots of the same work.
func (s *Shot) Fingerprint() string {
	print := s.Head + " " + s.Tree
	all := s.All()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if path != "" {
			print += "\n" + path + " " + all[path].Head + " " + all[path].Tree
		}
	}
	return print
}

// Close removes the scratch files of the shot and of those nested in it.
func (s *Shot) Close() error {
	err := os.RemoveAll(s.dir)
	for _, n := range s.Nested {
		err = errors.Join(err, n.Close())
	}
	return err
}

// All are the shot and all nested in it, with their paths below the tree.
func (s *Shot) All() map[string]*Shot {
	all := map[string]*Shot{"": s}
	for _, n := range s.Nested {
		for path, shot := range n.All() {
			all[filepath.Join(n.Path, path)] = shot
		}
	}
	return all
}

// SubRef is the ref below prefix that holds a nested repository's shot. The
// path is hashed: not every path is a ref's name.
func SubRef(prefix, path string) string {
	sum := sha256.Sum256([]byte(path))
	return prefix + ".d/sub/" + hex.EncodeToString(sum[:6])
}

// Keep brings a shot into the repository as ref, nested ones as SubRef(ref,
// path), the branches and stash that only the agent's clone has as
// ref.d/heads/NAME. Every object is checked on its way. ref itself comes last:
// where it is, all is.
func (r *Repo) Keep(ctx context.Context, s *Shot, ref string) error {
	for path, shot := range s.All() {
		if path == "" {
			continue
		}
		if err := r.fetch(ctx, shot.dir, "+refs/blaise/shot:"+SubRef(ref, path)); err != nil {
			return fmt.Errorf("nested repository %q: %w", path, err)
		}
	}
	if s.objects != "" && realPath(s.objects) != realPath(r.CommonDir) {
		if err := r.keepHeads(ctx, s, ref); err != nil {
			return err
		}
	}
	return r.fetch(ctx, s.dir, "+refs/blaise/shot:"+ref)
}

func (r *Repo) keepHeads(ctx context.Context, s *Shot, ref string) error {
	for name, id := range s.Heads {
		if id == s.Head {
			continue
		}
		if have, err := r.has(ctx, id); err != nil || have {
			if err != nil {
				return err
			}
			continue
		}
		to := ref + ".d/" + strings.TrimPrefix(name, "refs/")
		if err := r.fetch(ctx, s.dir, "+"+id+":"+to); err != nil {
			return fmt.Errorf("branch %q: %w", name, err)
		}
	}
	return nil
}

// has reports whether a ref of the repository leads to the commit.
func (r *Repo) has(ctx context.Context, id string) (bool, error) {
	out, err := r.Run(ctx, "for-each-ref", "--count=1", "--contains", id)
	var e *Error
	if errors.As(err, &e) { // it does not know the commit
		return false, nil
	}
	return out != "", err
}

// fetch runs under the lock: it trips over a half-made worktree.
func (r *Repo) fetch(ctx context.Context, from, refspec string) error {
	return r.Locked(ctx, func(ctx context.Context) error {
		_, err := r.run(ctx, command{
			dir:    r.Dir,
			config: []string{"fetch.fsckObjects=true", "transfer.fsckObjects=true"},
			args: []string{"fetch", "--quiet", "--no-tags", "--no-prune", "--no-recurse-submodules",
				"--no-write-fetch-head", "--no-auto-maintenance", "--update-shallow", "--", from, refspec},
		})
		return err
	})
}

// Bundle writes the shot with all its history to a file, for when the
// repository it came from is gone. Nested shots become files beside it.
func (s *Shot) Bundle(ctx context.Context, file string) error {
	for path, shot := range s.All() {
		to := file
		if path != "" {
			to = strings.TrimSuffix(file, ".bundle") + "." + filepath.Base(SubRef("", path)) + ".bundle"
		}
		h := hostile{dir: shot.dir}
		if _, err := h.git(ctx, "bundle", "create", "--quiet", to, "refs/blaise/shot"); err != nil {
			return err
		}
	}
	return nil
}
