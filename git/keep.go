package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// SubRef is the ref below prefix that holds a nested repository's shot. The
// path is hashed: not every path is a ref's name.
func SubRef(prefix, path string) string {
	sum := sha256.Sum256([]byte(path))
	return prefix + ".d/sub/" + hex.EncodeToString(sum[:6])
}

// Keep brings a shot into the repository as ref, nested ones as SubRef(ref,
// path), the branches, tags and stash that only the agent's clone has as
// ref.d/heads/NAME and ref.d/tags/NAME, those of nested ones so below their own,
// and commits that no branch leads to as StrayRef(ref). Every object
// is checked on its way: ErrRefused is in the chain if git does not take one,
// and it may take a shot with Aside, or an Orphan. ref itself comes last: where
// it is, all is.
func (r *Repo) Keep(ctx context.Context, s *Shot, ref string) error {
	for path, shot := range s.All() {
		if path == "" {
			continue
		}
		if err := r.keepOne(ctx, shot, SubRef(ref, path)); err != nil {
			return fmt.Errorf("nested repository %q: %w", path, err)
		}
	}
	return r.keepOne(ctx, s, ref)
}

func (r *Repo) keepOne(ctx context.Context, s *Shot, ref string) error {
	if s.objects != "" && !SamePath(s.objects, r.CommonDir) {
		if err := r.keepHeads(ctx, s, ref); err != nil {
			return err
		}
	}
	if s.Strays != "" {
		if err := refused(r.fetch(ctx, s.dir, "+"+s.Strays+":"+StrayRef(ref))); err != nil {
			return fmt.Errorf("commits that no branch leads to: %w", err)
		}
	}
	return refused(r.fetch(ctx, s.dir, "+refs/blaise/shot:"+ref))
}

// StrayRef is the ref of a save that holds commits which no branch leads to any
// more, as the parents of one.
func StrayRef(ref string) string { return ref + ".d/stray" }

// refused marks what git said of objects, not of the machine.
func refused(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Kind == nil {
		e.Kind = ErrRefused
	}
	return err
}

func (r *Repo) keepHeads(ctx context.Context, s *Shot, ref string) error {
	lacking, err := r.lacking(ctx, s.Heads)
	if err != nil {
		return err
	}
	for name, id := range s.Heads {
		if id == s.Head || strings.HasPrefix(name, "refs/tags/") && !lacking[id] {
			continue
		}
		if have, err := r.has(ctx, id); err != nil || have {
			if err != nil {
				return err
			}
			continue
		}
		to := ref + ".d/" + strings.TrimPrefix(name, "refs/")
		if err := refused(r.fetch(ctx, s.dir, "+"+id+":"+to)); err != nil {
			return fmt.Errorf("branch %q: %w", name, err)
		}
	}
	return nil
}

// lacking are those of the objects that the repository has not at all.
func (r *Repo) lacking(ctx context.Context, heads map[string]string) (map[string]bool, error) {
	var ids strings.Builder
	for _, id := range heads {
		ids.WriteString(id + "\n")
	}
	out, err := r.run(ctx, command{dir: r.Dir, args: []string{"cat-file", "--batch-check"}, stdin: strings.NewReader(ids.String())})
	missing := map[string]bool{}
	for line := range strings.Lines(out) {
		if id, ok := strings.CutSuffix(strings.TrimSpace(line), " missing"); ok {
			missing[id] = true
		}
	}
	return missing, err
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
func (r *Repo) fetch(ctx context.Context, from string, refspecs ...string) error {
	return r.Locked(ctx, func(ctx context.Context) error {
		_, err := r.run(ctx, command{
			dir:    r.Dir,
			config: []string{"fetch.fsckObjects=true", "transfer.fsckObjects=true"},
			args: append([]string{"fetch", "--quiet", "--no-tags", "--no-prune", "--no-recurse-submodules",
				"--no-write-fetch-head", "--no-auto-maintenance", "--update-shallow", "--", from}, refspecs...),
		})
		return err
	})
}

// Bundle writes the shot with all its history and branches to a file, for when
// the repository it came from is gone or refuses it. Nested shots become files
// beside it.
func (s *Shot) Bundle(ctx context.Context, file string) error {
	for path, shot := range s.All() {
		to := file
		if path != "" {
			to = strings.TrimSuffix(file, ".bundle") + "." + filepath.Base(SubRef("", path)) + ".bundle"
		}
		h := hostile{dir: shot.dir}
		args := []string{"bundle", "create", "--quiet", to, "refs/blaise/shot"}
		if len(shot.Heads)+len(shot.Strays) > 0 && h.nameHeads(shot) == nil {
			if _, err := h.git(ctx, append(args, "--branches", "--tags", "--")...); err == nil {
				continue
			}
		}
		if _, err := h.git(ctx, append(args, "--")...); err != nil {
			return err
		}
	}
	return nil
}

// nameHeads gives our directory the agent's branches, tags and stash, and a
// branch "stray" for the commits that none of them leads to.
func (h *hostile) nameHeads(shot *Shot) error {
	var packed strings.Builder
	if shot.Strays != "" {
		packed.WriteString(shot.Strays + " refs/heads/stray\n")
	}
	for name, id := range shot.Heads {
		if name == "refs/stash" {
			name = "refs/heads/stash"
		}
		_, short, _ := strings.Cut(strings.TrimPrefix(name, "refs/"), "/")
		if plainBranch.MatchString(short) {
			packed.WriteString(id + " " + name + "\n")
		}
	}
	return os.WriteFile(filepath.Join(h.dir, "packed-refs"), []byte(packed.String()), 0o600)
}
