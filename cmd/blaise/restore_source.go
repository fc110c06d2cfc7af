package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/git"
)

// source is the repository that gets the work: the one it was saved in, or,
// where Blaise has the work itself, the clone that this is run in.
func (o restoreOptions) source(ctx context.Context, save blaise.SavedWork) (*git.Repo, error) {
	dir := cmp.Or(o.repo, save.Repo)
	r, err := git.Open(ctx, cmp.Or(dir, "."))
	if err != nil && o.repo == "" && save.Bundle != "" {
		r, err = git.Open(ctx, ".")
	}
	if err == nil {
		return r, nil
	}
	if save.Bundle != "" && o.repo == "" {
		return nil, blaise.Errorf(blaise.CodeNotFound, "the repository %s is not here, and this is no clone of it", save.Repo).
			WithHint("run this in a clone of it, or name one with --repo; the work comes from Blaise")
	}
	if _, statErr := os.Stat(dir); statErr != nil || errors.Is(err, git.ErrNotRepository) {
		return nil, blaise.Errorf(blaise.CodeNotFound, "the repository %s is not here; the work is %s", dir, placeOf(save)).
			WithHint("run this on the machine where it is, or name its new place with --repo")
	}
	return nil, err
}

// placeOf says where a save is, in words.
func placeOf(save blaise.SavedWork) string {
	where := save.Ref
	if save.Repo != "" {
		where += " in " + save.Repo
	}
	if save.Host != "" {
		where += " on " + save.Host
	}
	return where
}

// savedRef is the ref of a save; one that is a bundle is brought into its own.
func savedRef(id blaise.SessionID, save blaise.SavedWork) string {
	if strings.HasPrefix(save.Ref, "refs/") {
		return save.Ref
	}
	return fmt.Sprintf("refs/blaise/%s/%d", id, save.N)
}

// bring finds the commit of a save in the repository. A save that is a bundle,
// here or at Blaise, is brought into it first.
func bring(
	ctx context.Context, c *api.Client, r *git.Repo, id blaise.SessionID, save blaise.SavedWork,
) (string, error) {
	ref := savedRef(id, save)
	commit, err := r.Ref(ctx, ref)
	if err != nil || commit != "" && commit == save.Commit {
		return commit, err
	}
	_, statErr := os.Stat(save.Ref)
	switch {
	case ref != save.Ref && statErr == nil:
		err = r.Unbundle(ctx, save.Ref, ref)
	case save.Bundle != "":
		err = download(ctx, c, r, id, save, ref)
	}
	if err != nil {
		return "", err
	}
	if commit, err = r.Ref(ctx, ref); err != nil {
		return "", err
	}
	if commit == "" {
		return "", blaise.Errorf(blaise.CodeNotFound, "%s is not in repository %s; the work is %s", save.Ref, r.Dir, placeOf(save)).
			WithHint("run this on the machine where it is; if the repository has moved, name its new place with --repo")
	}
	return commit, nil
}

// download brings work into the repository that Blaise keeps as files.
func download(
	ctx context.Context, c *api.Client, r *git.Repo, id blaise.SessionID, save blaise.SavedWork, ref string,
) error {
	dir, err := os.MkdirTemp("", "blaise-restore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, sum := range save.Bundles() {
		if err := fetchFile(ctx, c, id, sum, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	err = r.Unbundle(ctx, filepath.Join(dir, blaise.MainBundle), ref)
	if errors.Is(err, git.ErrLacks) {
		return blaise.Errorf(blaise.CodeRefused, "%s has not the commits that the work begins at: %v", r.Dir, err).
			WithHint("get them first: git -C %s fetch --all; or is it a clone of another repository?", r.Dir)
	}
	return err
}
