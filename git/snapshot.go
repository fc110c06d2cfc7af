package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	Start    string   // the last commit known of the tree, for when HEAD cannot be read, or ""
	Home     string   // the common directory of the user's repository, which holds Start, or ""
	Linked   []string // linked worktrees that may be nested in the tree or lie beside it
	Orphan   bool     // take the files alone, on top of Start if Home holds it
	Aside    bool     // files that git reads itself get other names, see Repo.Keep

	family       []string // common directories that nested worktrees may be linked to
	nested, wide bool     // of the outer one: sha256
	distrust     bool     // HEAD names what is not there
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
	Lost    bool     // HEAD could not be read, or not what it names
	Strays  string   // a commit whose parents are commits that no branch leads to, "" for none
	Skipped []string // what could not be taken as it is, and why, in words
	dir     string
	objects string
	plain   bool   // files without their history
	own     string // the tree without nested commits: those name the time
	strays  []string
}

// uncommittedMark is the line that tells a commit of uncommitted work from the
// agent's own, when it is restored.
const uncommittedMark = "Blaise-Uncommitted: true"

// Take makes the shot. What cannot be taken as it is, is taken as far as it
// can be and named in Skipped: without history if need be. ErrTooLarge is in
// the chain if it is over the limit.
func (s Snapshot) Take(ctx context.Context) (*Shot, error) {
	shot, err := s.takeAsIs(ctx)
	if err == nil || s.Orphan || outer(ctx, err) {
		return shot, err
	}
	if s.Start != "" {
		s.distrust = true
		if shot, again := s.takeAsIs(ctx); again == nil {
			shot.Skipped = append(shot.Skipped, fmt.Sprintf("what HEAD names (the files are, on top of %.12s): %v", s.Start, err))
			return shot, nil
		}
	}
	return s.takePlain(ctx, err)
}

func (s Snapshot) takeAsIs(ctx context.Context) (*Shot, error) {
	agent, err := s.agent()
	if err != nil {
		return nil, err
	}
	shot := &Shot{plain: s.Orphan, Lost: s.Orphan}
	if shot.Head, err = s.head(shot, agent); err != nil {
		return nil, err
	}
	h, err := newHostile(s, agent, shot.Head)
	if err != nil {
		return nil, err
	}
	shot.dir, shot.objects = h.dir, agent.commonDir
	err = s.fill(ctx, h, shot)
	if err == nil && s.nested && (len(shot.Commit) == 64) != s.wide {
		err = errors.New("its objects are of another format than those around it")
	}
	if err != nil {
		return nil, errors.Join(err, shot.Close())
	}
	return shot, nil
}

func (s Snapshot) agent() (agentRepo, error) {
	agent, err := agentRepo{gitDir: s.GitDir, commonDir: s.Common}, error(nil)
	if s.GitDir == "" {
		agent, err = findAgentRepo(s.Tree, s.family, append(s.Roots, s.Tree))
	}
	if s.Orphan {
		return agentRepo{gitDir: agent.gitDir, commonDir: s.Home}, nil
	}
	return agent, err
}

// head answers what HEAD names, or where that makes no sense the commit the
// tree began with.
func (s Snapshot) head(shot *Shot, agent agentRepo) (string, error) {
	if s.Orphan && s.Home == "" {
		return "", nil
	}
	if s.Orphan {
		return s.Start, nil
	}
	if s.distrust {
		shot.Lost = true
		return s.Start, nil
	}
	head, err := agent.head()
	if err != nil && s.Start != "" {
		shot.Lost = true
		shot.Skipped = append(shot.Skipped,
			fmt.Sprintf("where HEAD was (the files are, on top of %.12s): %v", s.Start, err))
		return s.Start, nil
	}
	return head, err
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
	shot.Skipped = append(shot.Skipped, changes.odd...)
	if s.Aside {
		moved, err := h.setAside(ctx)
		if err != nil {
			return err
		}
		shot.Skipped = append(shot.Skipped, moved...)
	}
	if shot.Tree, err = h.git(ctx, "write-tree"); err != nil {
		return err
	}
	if shot.own = shot.Tree; len(changes.links) > 0 {
		if err := h.put(ctx, changes.links...); err != nil {
			return err
		}
		if shot.Tree, err = h.git(ctx, "write-tree"); err != nil {
			return err
		}
	}
	if shot.Commit, err = h.commit(ctx, shot, s.Message); err != nil {
		return err
	}
	shot.Dirty = shot.Commit != shot.Head
	if s.Orphan {
		return nil
	}
	s.takeHeads(h, shot)
	if s.nested {
		return s.keepOwn(shot, h.agent)
	}
	return s.takeStrays(ctx, h, shot)
}

// takeHeads takes the names of the agent's repository. Those that cannot be read
// are said; what they led to is looked for without them.
func (s Snapshot) takeHeads(h *hostile, shot *Shot) {
	prefixes := []string{"refs/heads/", "refs/stash"}
	if !s.nested && s.ownRefs(h) {
		prefixes = append(prefixes, "refs/tags/")
	}
	var err error
	if shot.Heads, err = h.agent.refs(prefixes...); err != nil {
		shot.Lost = true
		shot.Skipped = append(shot.Skipped, fmt.Sprintf("the names of branches (what they lead to is): %v", err))
	}
}

// Fingerprint is the same for two shots of the same work.
func (s *Shot) Fingerprint() string {
	print := s.Head + " " + s.own
	for _, id := range s.strays {
		print += " " + id
	}
	all := s.All()
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if path != "" {
			n := all[path]
			print += "\n" + path + " " + n.Head + " " + n.own
			for _, name := range slices.Sorted(maps.Keys(n.Heads)) {
				print += " " + n.Heads[name]
			}
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
