package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks bounds the links that lead on to what is not there.
const maxLinks = 40

// resolveVerb serves "resolve DIR PATH...": it prints a JSON list of where DIR and
// each path lead, "" where that cannot be told. A path that is not absolute is
// below DIR. What is not there yet leads to where it would be made.
func resolveVerb(args []string) int {
	if len(args) == 0 || !filepath.IsAbs(args[0]) {
		fmt.Fprintln(os.Stderr, "usage: shim resolve DIR PATH...")
		return 2
	}
	list := make([]string, len(args))
	for i, path := range args {
		if !filepath.IsAbs(path) {
			path = args[0] + "/" + path // not cleaned: a link before a .. counts
		}
		list[i] = leadsTo(path)
	}
	if err := json.NewEncoder(os.Stdout).Encode(list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// leadsTo is where path leads to, "" if the kernel and a program that cleans
// paths first would not agree.
func leadsTo(path string) string {
	real, err := resolve(path, maxLinks)
	if err != nil {
		return ""
	}
	if cleaned, err := resolve(filepath.Clean(path), maxLinks); err != nil || cleaned != real {
		return ""
	}
	return real
}

// resolve follows the links of path as far as there is something.
func resolve(path string, links int) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	dir, name := filepath.Split(path)
	if target, err := os.Readlink(path); err == nil { // to what is not there
		if links == 0 {
			return "", fmt.Errorf("resolve %s: too many links", path)
		}
		if !filepath.IsAbs(target) {
			target = dir + target
		}
		return resolve(target, links-1)
	}
	if name == ".." {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	above, err := resolve(parent(dir), links)
	return filepath.Join(above, name), err
}

// parent is a folder without the slash at its end.
func parent(dir string) string {
	for len(dir) > 1 && dir[len(dir)-1] == '/' {
		dir = dir[:len(dir)-1]
	}
	return dir
}
