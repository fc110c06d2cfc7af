package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// asideDir holds, in a saved tree, files whose names git refuses.
const asideDir = "refused-by-git/"

// stage brings the copy of the index up to the tree, but for nested
// repositories.
func (h *hostile) stage(ctx context.Context, c *changes, limit int64) error {
	if err := h.checkSize(c.update, limit); err != nil {
		return err
	}
	attributes := filepath.Join(h.dir, "info", "attributes")
	if err := os.WriteFile(attributes, []byte(takeAttributes), 0o600); err != nil {
		return err
	}
	if len(c.remove) > 0 {
		if _, err := h.feed(ctx, zeroTerminated(c.remove),
			"update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return err
		}
	}
	return h.add(ctx, c, c.update)
}

// add takes in files. Git takes all or none: where it refuses, each half is
// tried, until the one it means is found.
func (h *hostile) add(ctx context.Context, c *changes, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	var said string
	update := h.command("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	update.stdin, update.warnings = bytes.NewReader(zeroTerminated(paths)), &said
	_, err := update.run(ctx)
	if err == nil && strings.Contains(said, "Ignoring path ") { // and all is well, it says
		err = &Error{Verb: update.verb(), Dir: h.tree, Stderr: tail(said)}
	}
	switch {
	case err == nil || outer(ctx, err):
		return err
	case len(paths) > 1:
		if err := h.add(ctx, c, paths[:len(paths)/2]); err != nil {
			return err
		}
		return h.add(ctx, c, paths[len(paths)/2:])
	}
	if asideErr := h.addAside(ctx, paths[0]); asideErr != nil {
		return fmt.Errorf("%w; %w", err, asideErr)
	}
	c.odd = append(c.odd, fmt.Sprintf("%q under its name, which git refuses (it is saved as %q)",
		paths[0], aside(paths[0])))
	return nil
}

// addAside takes in a file or link under a name that git does not refuse.
func (h *hostile) addAside(ctx context.Context, path string) error {
	file := filepath.Join(h.tree, path)
	st, err := os.Lstat(file)
	if err != nil {
		return err
	}
	var text []byte
	args := []string{"hash-object", "-w", "--no-filters", "--", file}
	if st.Mode()&os.ModeSymlink != 0 {
		to, err := os.Readlink(file)
		if err != nil {
			return err
		}
		text, args = []byte(to), []string{"hash-object", "-w", "--no-filters", "--stdin"}
	}
	blob, err := h.feed(ctx, text, args...)
	if err != nil {
		return err
	}
	return h.put(ctx, "100644 "+strings.TrimSpace(blob)+"\t"+aside(path))
}

// put sets lines of the index: "MODE OBJECT\tPATH", mode 0 to remove.
func (h *hostile) put(ctx context.Context, lines ...string) error {
	_, err := h.feed(ctx, zeroTerminated(lines), "update-index", "--add", "--replace", "-z", "--index-info")
	return err
}

func aside(path string) string {
	return asideDir + strings.NewReplacer("%", "%25", ".", "%2E", "~", "%7E", `\`, "%5C", ":", "%3A").Replace(path)
}

// setAside moves the files that git reads itself (.gitmodules, .gitattributes)
// and that differ from HEAD to names that mean nothing to it: it refuses some
// contents of theirs.
func (h *hostile) setAside(ctx context.Context) (moved []string, err error) {
	args := []string{"ls-files", "-z"}
	if h.head != "" {
		args = []string{"diff-index", "--cached", "--name-only", "--no-renames", "-z", h.head}
	}
	out, err := h.feed(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	for path := range strings.SplitSeq(out, "\x00") {
		if !readByGit(path) {
			continue
		}
		is, err := h.entry(ctx, "ls-files", "-s", "-z", "--", path)
		if err != nil {
			return nil, err
		}
		if is == "" || strings.HasPrefix(is, "160000") {
			continue
		}
		was := "0 " + strings.Repeat("0", 40)
		if h.wide {
			was += strings.Repeat("0", 24)
		}
		if h.head != "" {
			before, err := h.entry(ctx, "ls-tree", "-z", h.head, "--", path)
			if err != nil {
				return nil, err
			}
			if before != "" {
				was = before
			}
		}
		blob := "100644 " + is[strings.IndexByte(is, ' ')+1:]
		if err := h.put(ctx, was+"\t"+path, blob+"\t"+aside(path)); err != nil {
			return nil, err
		}
		moved = append(moved, fmt.Sprintf("%q under its name, for git refuses its content or another's "+
			"of its kind (it is saved as %q)", path, aside(path)))
	}
	return moved, nil
}

// entry answers the "MODE OBJECT" of what a command lists of one path.
func (h *hostile) entry(ctx context.Context, args ...string) (string, error) {
	out, err := h.feed(ctx, nil, args...)
	f := strings.Fields(strings.ReplaceAll(out, "\t", " "))
	switch {
	case err != nil || len(f) < 3:
		return "", err
	case args[0] == "ls-tree":
		return f[0] + " " + f[2], nil
	}
	return f[0] + " " + f[1], nil
}

// readByGit reports whether git reads a file of the name, on some system.
func readByGit(path string) bool {
	name := strings.ToLower(strings.Map(func(r rune) rune {
		if r > 127 {
			return -1
		}
		return r
	}, filepath.Base(path)))
	return strings.HasPrefix(name, ".git") || strings.HasPrefix(name, ".mailmap") ||
		strings.Contains(name, "~")
}
