package plug

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"

	"blaise.dev/blaise"
	"blaise.dev/blaise/git"
)

func (w *worktree) begins() {}

// chooseStart is the saved work if there is some, else base (A22). Where the
// work cannot be had the stack hears why, and decides.
func (w *worktree) chooseStart(ctx context.Context, s Scope, repo *git.Repo, m *made) error {
	if s.Restore.N == 0 {
		return nil
	}
	commit, err := savedWork(ctx, s, repo, m.Start)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		m.Start, m.tree = commit, ""
	} else {
		note(s, "%v", err)
	}
	s.Restored(err)
	return nil
}

// savedWork is the commit of the saved work, brought into the repository if it
// was not there. base is a commit of the repository: work that has none in
// common with it, nor begins at one, is another repository's.
func savedWork(ctx context.Context, s Scope, repo *git.Repo, base string) (string, error) {
	work := s.Restore
	_, lacked := repo.Resolve(ctx, work.Commit)
	_, unknown := repo.Resolve(ctx, work.Base)
	if err := fetch(ctx, s, repo); err != nil {
		return "", fmt.Errorf("the saved work, %s, cannot be brought into %s: %w; then: blaise retry %s",
			work.Ref, repo.Dir, err, s.Session)
	}
	commit, err := repo.Resolve(ctx, work.Commit)
	if err != nil {
		return "", fmt.Errorf("the saved work, %s, is neither in %s nor with Blaise: it is %s. "+
			"Bring it here: git -C %s fetch %s; then: blaise retry %s",
			work.Ref, repo.Dir, whereSaved(work), repo.Dir, fetchable(s), s.Session)
	}
	if lacked == nil || unknown == nil {
		return commit, nil
	}
	related, err := repo.Related(ctx, base, commit)
	if err != nil || related {
		return commit, err
	}
	return "", errors.Join(repo.Unkeep(ctx, restoreRef(s)), fmt.Errorf("the saved work, %s, is of another repository "+
		"than %s: it is %s. Start a runner in a clone of that one; then: blaise retry %s",
		work.Ref, repo.Dir, whereSaved(work), s.Session))
}

// whereSaved is the place of saved work, in words.
func whereSaved(work blaise.SavedWork) string {
	where := "a file"
	if work.Repo != "" {
		where = "in " + work.Repo
	}
	if work.Host != "" {
		where += " on " + work.Host
	}
	return where
}

// fetchable is what git fetch must be told to get the saved work from there.
func fetchable(s Scope) string {
	from, what := s.Restore.Repo, path.Dir(restoreRef(s))+"/*"
	if from == "" {
		return s.Restore.Ref + " refs/blaise/shot:" + restoreRef(s)
	}
	if host, _ := os.Hostname(); s.Restore.Host != "" && s.Restore.Host != host {
		from = s.Restore.Host + ":" + from
	}
	return fmt.Sprintf("%s '%s:%s'", from, what, what)
}
