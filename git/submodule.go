package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Submodule is a repository within another, as a commit of that one has it.
type Submodule struct {
	Name, Path string
	Commit     string
	URL        URL
}

// What a .gitmodules may have: whoever wrote the repository wrote it.
const (
	maxModules    = 1 << 20 // bytes
	maxModuleKeys = 2000
)

// Submodules lists those that a commit of the repository has, whose own address
// is of: addresses that begin with ./ or ../ are relative to it. One whose
// address is no good is an error, and so is a .gitmodules that is too large.
func (r *Repo) Submodules(ctx context.Context, commit string, of URL) ([]Submodule, error) {
	out, err := r.Run(ctx, "ls-tree", "-l", "-z", commit, "--", ".gitmodules")
	if err != nil || !strings.HasPrefix(out, "100") { // none, or a link: git reads no such thing either
		return nil, err
	}
	about, _, _ := strings.Cut(out, "\t")
	if size, err := strconv.Atoi(about[strings.LastIndexByte(about, ' ')+1:]); err != nil || size > maxModules {
		return nil, fmt.Errorf("its .gitmodules has more than %d bytes", maxModules)
	}
	keys, err := r.moduleKeys(ctx, commit)
	if err != nil {
		return nil, err
	}
	links, err := r.gitlinks(ctx, commit)
	if err != nil {
		return nil, err
	}
	var all []Submodule
	for _, k := range keys {
		name, isPath := strings.CutSuffix(strings.TrimPrefix(k[0], "submodule."), ".path")
		if !isPath {
			continue
		}
		m := Submodule{Name: name, Path: k[1], Commit: links[k[1]]}
		if m.Commit == "" {
			continue // .gitmodules names it, and the commit has it not
		}
		if m.URL, err = of.Relative(last(keys, "submodule."+name+".url")); err != nil {
			return nil, fmt.Errorf("submodule %q: %w", m.Path, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// moduleKeys are the paths and addresses in the .gitmodules of a commit, in
// their order.
func (r *Repo) moduleKeys(ctx context.Context, commit string) (keys [][2]string, err error) {
	out, err := r.Run(ctx, "config", "--blob", commit+":.gitmodules", "-z", "--get-regexp", `^submodule\..*\.(path|url)$`)
	var e *Error
	if errors.As(err, &e) && e.Code == 1 {
		return nil, nil // it has no such key
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if len(keys) == maxModuleKeys {
			return nil, fmt.Errorf("its .gitmodules has more than %d paths and addresses", maxModuleKeys)
		}
		key, value, _ := strings.Cut(entry, "\n")
		keys = append(keys, [2]string{key, value})
	}
	return keys, err
}

func last(keys [][2]string, key string) (value string) {
	for _, k := range keys {
		if k[0] == key {
			value = k[1]
		}
	}
	return value
}

// gitlinks are the commits of the submodules of a commit, by path.
func (r *Repo) gitlinks(ctx context.Context, commit string) (map[string]string, error) {
	out, err := r.Run(ctx, "ls-tree", "-r", "-z", commit)
	links := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		if id, isLink := strings.CutPrefix(about, "160000 commit "); isLink {
			links[path] = id
		}
	}
	return links, err
}

// Relative is the address that text means in a repository at u, where a
// submodule's may begin with ./ or ../ .
func (u URL) Relative(text string) (URL, error) {
	rel := text
	if !strings.HasPrefix(rel, "./") && !strings.HasPrefix(rel, "../") {
		return ParseURL(rel)
	}
	base, sep := strings.TrimRight(u.text, "/"), "/"
	for {
		var up, here bool
		if rel, here = strings.CutPrefix(rel, "./"); here {
			continue
		}
		if rel, up = strings.CutPrefix(rel, "../"); !up {
			break
		}
		i := strings.LastIndexByte(base, '/')
		if i < 0 {
			i, sep = strings.LastIndexByte(base, ':'), ":"
		}
		if i < 0 || strings.HasSuffix(base[:i], "/") {
			return URL{}, fmt.Errorf("%q leads up further than %s goes", text, u)
		}
		base = base[:i]
	}
	return ParseURL(base + sep + strings.TrimRight(rel, "/"))
}

// AddSubmodule checks a submodule out in dir, a worktree that no agent has worked
// in, from a mirror, of which nothing is shared. Its origin is its own address.
func (r *Repo) AddSubmodule(ctx context.Context, dir string, m Submodule, mirror string, progress func(Progress)) error {
	key := "submodule." + m.Name + ".url"
	from := url.URL{Scheme: "file", Path: mirror}
	if _, err := r.In(ctx, dir, nil, "config", key, from.String()); err != nil {
		return err
	}
	_, err := r.run(ctx, command{dir: dir, progress: progress, config: []string{"protocol.file.allow=always"}, args: []string{
		"submodule", "update", "--checkout", "--no-recommend-shallow", "--progress", "--", m.Path,
	}})
	if err != nil {
		return (&Repo{Dir: mirror}).believed(ctx, m.Commit, err)
	}
	if _, err := r.In(ctx, dir, nil, "config", key, m.URL.String()); err != nil {
		return err
	}
	sub := filepath.Join(dir, m.Path)
	if _, err := os.Lstat(filepath.Join(sub, ".git")); err != nil {
		return fmt.Errorf("check out submodule: %w", err)
	}
	if _, err := r.In(ctx, sub, nil, "remote", "set-url", "origin", m.URL.String()); err != nil {
		return err
	}
	return r.lendName(ctx, sub)
}
