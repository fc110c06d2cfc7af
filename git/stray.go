package git

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// maxStrays is how many commits without a name one save takes in: they become
// the parents of one commit.
const maxStrays = 500

// takeStrays finds the commits that the agent made and no branch leads to any
// more: reset away, amended, or made on no branch. They become the parents of
// one commit without files, so that a single ref holds them.
func (s Snapshot) takeStrays(ctx context.Context, h *hostile, shot *Shot) error {
	if s.nested || s.Orphan {
		return nil
	}
	seen, err := s.candidates(ctx, h, shot)
	if err != nil || len(seen) == 0 {
		return err
	}
	if shot.strays, err = h.tips(ctx, seen, s.named(h, shot)); err != nil || len(shot.strays) == 0 {
		return err
	}
	if n := len(shot.strays); n > maxStrays {
		shot.Skipped = append(shot.Skipped, fmt.Sprintf("%d of %d commits that no branch leads to", n-maxStrays, n))
		shot.strays = shot.strays[:maxStrays]
	}
	empty, err := h.feed(ctx, []byte{}, "mktree")
	if err != nil {
		return err
	}
	args := []string{"commit-tree", strings.TrimSpace(empty), "-m", "Commits that no branch leads to any more, saved by Blaise"}
	for _, id := range shot.strays {
		args = append(args, "-p", id)
	}
	shot.Strays, err = h.git(ctx, args...)
	return err
}

// candidates are the commits that the logs of the agent's repository name, and
// where its refs cannot be trusted, all that it has and the user's has not.
func (s Snapshot) candidates(ctx context.Context, h *hostile, shot *Shot) ([]string, error) {
	seen := map[string]bool{}
	for _, log := range h.agent.logs(s.ownRefs(h)) {
		for _, id := range loggedIDs(log) {
			seen[id] = true
		}
	}
	if shot.Lost && s.ownRefs(h) {
		all, err := s.ownCommits(ctx, h)
		if err != nil {
			return nil, err
		}
		for _, id := range all {
			seen[id] = true
		}
	}
	for _, id := range append(slices.Collect(maps.Values(shot.Heads)), shot.Head, s.Start) {
		delete(seen, id)
	}
	return slices.Sorted(maps.Keys(seen)), nil
}

// ownRefs says that the agent's repository is its own: not a worktree of the
// user's.
func (s Snapshot) ownRefs(h *hostile) bool {
	return !SamePath(h.agent.commonDir, s.Home)
}

// named are the commits from which what they lead to has a name.
func (s Snapshot) named(h *hostile, shot *Shot) []string {
	names := append(slices.Collect(maps.Values(shot.Heads)), shot.Head, s.Start)
	if refs, err := h.agent.refs("refs/heads/", "refs/tags/", "refs/remotes/"); err == nil {
		names = append(names, slices.Collect(maps.Values(refs))...)
	}
	return slices.DeleteFunc(names, func(id string) bool { return id == "" })
}

// tips are those of the commits that none of the others leads to, and none of
// the named.
func (h *hostile) tips(ctx context.Context, ids, named []string) ([]string, error) {
	in := strings.Join(ids, "\n") + "\n"
	for _, id := range named {
		in += "^" + id + "\n"
	}
	out, err := h.feed(ctx, []byte(in), "rev-list", "--ignore-missing", "--parents", "--stdin")
	if err != nil {
		return nil, err
	}
	var all []string
	parents := map[string]bool{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		all = append(all, f[0])
		for _, p := range f[1:] {
			parents[p] = true
		}
	}
	tips := slices.DeleteFunc(all, func(id string) bool { return parents[id] })
	slices.Sort(tips)
	return tips, nil
}

// ownCommits are the commits of the agent's objects that the user's repository
// has not.
func (s Snapshot) ownCommits(ctx context.Context, h *hostile) ([]string, error) {
	out, err := h.git(ctx, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return nil, err
	}
	var commits strings.Builder
	for line := range strings.Lines(out) {
		if id, ok := strings.CutPrefix(line, "commit "); ok {
			commits.WriteString(id)
		}
	}
	home := hostile{dir: s.Home}
	if out, err = home.feed(ctx, []byte(commits.String()), "cat-file", "--batch-check=%(objecttype)"); err != nil {
		return nil, err
	}
	var own []string
	for line := range strings.Lines(out) {
		if id, missing := strings.CutSuffix(strings.TrimSpace(line), " missing"); missing {
			own = append(own, id)
		}
	}
	return own, nil
}

// logs are the files that tell where HEAD was, and of a repository of its own
// where its branches were.
func (a agentRepo) logs(own bool) []string {
	files := []string{filepath.Join(a.gitDir, "logs", "HEAD"), filepath.Join(a.gitDir, "ORIG_HEAD")}
	if !own {
		return files
	}
	_ = filepath.WalkDir(filepath.Join(a.commonDir, "logs", "refs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(path, "/refs/remotes/") {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// maxLog is how much of the end of a log is read.
const maxLog = 1 << 20

// loggedIDs are the commits that a log names, as data: what is no id is passed
// over.
func loggedIDs(path string) (ids []string) {
	f, err := openRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() > maxLog {
		_, _ = f.Seek(-maxLog, io.SeekEnd) // a line that is cut names no id
	}
	text, err := io.ReadAll(io.LimitReader(f, maxLog))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		for i, word := range strings.Fields(line) {
			if i < 2 && objectID.MatchString(word) && strings.Trim(word, "0") != "" {
				ids = append(ids, word)
			}
		}
	}
	return ids
}
