package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
}

const hostileAttributes = "* -filter -ident\n" // outranks every .gitattributes

func newHostile(s Snapshot, agent agentRepo, head string) (*hostile, error) {
	dir, err := os.MkdirTemp(s.Scratch, "shot-*.git")
	if err != nil {
		return nil, err
	}
	h := &hostile{dir: dir, tree: s.Tree, excludes: s.Excludes, agent: agent}
	if err := h.init(s, head); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("prepare save: %w", err)
	}
	return h, nil
}

func (h *hostile) init(s Snapshot, head string) error {
	config := "[core]\n\trepositoryformatversion = 0\n"
	if len(head) == 64 {
		config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
	}
	files := map[string]string{
		"HEAD": "ref: refs/heads/none\n", "config": config,
		"info/attributes": hostileAttributes, "objects/info/alternates": "", "refs/heads/.keep": "",
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
	if h.agent.gitDir == "" {
		return nil
	}
	for from, to := range map[string]string{
		filepath.Join(h.agent.gitDir, "index"):           "index",
		filepath.Join(h.agent.commonDir, "shallow"):      "shallow",
		filepath.Join(h.agent.commonDir, "info/exclude"): "info/exclude",
	} {
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
	return append(cleanEnv(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_ALLOW_PROTOCOL=none",
		"GIT_DIR="+h.dir, "GIT_WORK_TREE="+tree, "GIT_LITERAL_PATHSPECS=1",
		"GIT_AUTHOR_NAME=Blaise", "GIT_AUTHOR_EMAIL=blaise@localhost",
		"GIT_COMMITTER_NAME=Blaise", "GIT_COMMITTER_EMAIL=blaise@localhost")
}

func (h *hostile) git(ctx context.Context, args ...string) (string, error) {
	out, err := h.feed(ctx, nil, args...)
	return strings.TrimSuffix(out, "\n"), err
}

func (h *hostile) feed(ctx context.Context, stdin []byte, args ...string) (string, error) {
	dir := h.tree
	if dir == "" {
		dir = h.dir
	}
	c := command{dir: dir, args: args, env: h.env(), config: []string{
		"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
		"core.bare=false", "core.untrackedCache=false", "gc.auto=0", "core.splitIndex=false",
		"core.excludesFile=" + h.excludes,
	}}
	if stdin != nil {
		c.stdin = bytes.NewReader(stdin)
	}
	return c.run(ctx)
}

// Changes are the paths that a working tree has and its index has not.
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
		_, err = h.feed(ctx, zeroTerminated(hidden), "update-index", "--no-assume-unchanged", "-z", "--stdin")
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
		if _, err := h.feed(ctx, zeroTerminated(c.remove), "update-index", "--force-remove", "-z", "--stdin"); err != nil {
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
		_, err := h.feed(ctx, zeroTerminated(c.links), "update-index", "--add", "--replace", "-z", "--index-info")
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

func zeroTerminated(paths []string) []byte {
	return []byte(strings.Join(paths, "\x00") + "\x00")
}
