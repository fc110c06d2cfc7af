package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A hostile runs git on an agent's working tree out of a bare repository of
// ours: its objects are borrowed, its index is a copy, its configuration is not
// seen.
type hostile struct {
	dir      string // ours
	tree     string
	excludes string // the user's own ignored names
	agent    agentRepo
	head     string // the commit that the work is on top of, "" if none
	fresh    bool   // the agent's index is good for its names alone
	wide     bool   // sha256
}

// These outrank every .gitattributes. Files are compared as git compares them,
// or those checked out with other line ends would all count as changed, and
// taken byte by byte as they are.
const (
	compareAttributes = "* -filter\n"
	takeAttributes    = "* -filter -ident -text -working-tree-encoding\n"
)

func newHostile(s Snapshot, agent agentRepo, head string) (*hostile, error) {
	dir, err := os.MkdirTemp(s.Scratch, "shot-*.git")
	if err != nil {
		return nil, err
	}
	h := &hostile{dir: dir, tree: s.Tree, excludes: s.Excludes, agent: agent, head: head, fresh: s.Orphan}
	h.wide = len(head) == 64 || head == "" && (s.wide || len(s.Start) == 64)
	if err := h.init(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("prepare save: %w", err)
	}
	return h, nil
}

func (h *hostile) init() error {
	config := "[core]\n\trepositoryformatversion = 0\n"
	if h.wide {
		config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
	}
	files := map[string]string{
		"HEAD": "ref: refs/heads/none\n", "config": config,
		"info/attributes": compareAttributes, "objects/info/alternates": "", "refs/heads/.keep": "",
	}
	if h.agent.commonDir != "" {
		objects, err := h.agent.objects()
		if err != nil {
			return err
		}
		files["objects/info/alternates"] = objects + "\n"
	}
	for name, text := range files {
		path := filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	_ = os.Remove(filepath.Join(h.dir, "refs/heads/.keep"))
	return h.borrow()
}

// borrow copies what is data: the index, so that files that did not change are
// not read again, the ignored names, and where a shallow history ends.
func (h *hostile) borrow() error {
	from := map[string]string{}
	if dir := h.agent.gitDir; dir != "" {
		from[filepath.Join(dir, "index")] = "index"
	}
	if dir := h.agent.commonDir; dir != "" {
		from[filepath.Join(dir, "shallow")] = "shallow"
		from[filepath.Join(dir, "info/exclude")] = "info/exclude"
	}
	for from, to := range from {
		f, err := openRegular(from)
		if err != nil {
			continue // not there, or not fit to be read: do without
		}
		err = copyInto(filepath.Join(h.dir, to), f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func copyInto(path string, r io.ReadSeeker) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(f, r)
	return err
}

// env shows git nothing but our directory and the tree.
func (h *hostile) env() []string {
	tree := h.tree
	if tree == "" {
		tree = h.dir // for commands that need none
	}
	env := append(cleanEnv(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_DIR="+h.dir, "GIT_WORK_TREE="+tree, "GIT_LITERAL_PATHSPECS=1")
	return append(env, blaiseName...)
}

// blaiseName is who the commits are by that no agent made.
var blaiseName = []string{
	"GIT_AUTHOR_NAME=Blaise", "GIT_AUTHOR_EMAIL=blaise@localhost",
	"GIT_COMMITTER_NAME=Blaise", "GIT_COMMITTER_EMAIL=blaise@localhost",
}

func (h *hostile) git(ctx context.Context, args ...string) (string, error) {
	out, err := h.feed(ctx, nil, args...)
	return strings.TrimSuffix(out, "\n"), err
}

func (h *hostile) feed(ctx context.Context, stdin []byte, args ...string) (string, error) {
	c := h.command(args...)
	if stdin != nil {
		c.stdin = bytes.NewReader(stdin)
	}
	return c.run(ctx)
}

func (h *hostile) command(args ...string) command {
	dir := h.tree
	if dir == "" {
		dir = h.dir
	}
	return command{dir: dir, args: args, env: h.env(), config: []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
		"core.bare=false", "core.untrackedCache=false", "gc.auto=0", "core.splitIndex=false",
		"core.excludesFile=" + h.excludes,
	}}
}

// commit answers the commit that holds the tree: HEAD, or a new one on top of
// it, and names it refs/blaise/shot.
func (h *hostile) commit(ctx context.Context, shot *Shot, message string) (string, error) {
	commit := shot.Head
	args := []string{"commit-tree", shot.Tree, "-m", message, "-m", uncommittedMark}
	if shot.Head != "" {
		tree, err := h.git(ctx, "rev-parse", "--verify", shot.Head+"^{tree}")
		if err != nil {
			return "", err
		}
		if tree == shot.Tree {
			return commit, h.name(commit)
		}
		args = append(args, "-p", shot.Head)
	}
	commit, err := h.git(ctx, args...)
	if err != nil {
		return "", err
	}
	return commit, h.name(commit)
}

func (h *hostile) name(commit string) error {
	dir := filepath.Join(h.dir, "refs", "blaise")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "shot"), []byte(commit+"\n"), 0o600)
}
