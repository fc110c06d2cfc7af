package git_test

import (
	"path/filepath"
	"testing"

	"blaise.dev/blaise/git"
)

// What an index flags, or holds beside files, is looked at entry by entry; the
// plain one is only asked whether anything changed. Both see the same.
func TestSnapshotSeesPastTheIndex(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string][][]string{
		"a plain index":         nil,
		"an index of version 4": {{"update-index", "--index-version", "4"}},
		"a flag that hides":     {{"update-index", "--assume-unchanged", "README.md"}},
		"a flag that skips":     {{"update-index", "--skip-worktree", "README.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, dir := newRepo(t)
			take := func() *git.Shot {
				shot, err := git.Snapshot{
					Tree: dir, GitDir: r.CommonDir, Common: r.CommonDir, Home: r.CommonDir, Scratch: tempDir(t), Message: "saved",
				}.Take(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { shot.Close() })
				return shot
			}
			write(t, filepath.Join(dir, "README.md"), "first\n")
			run(t, dir, "add", "-A")
			run(t, dir, "commit", "-q", "-m", "readme")
			for _, args := range prepare {
				run(t, dir, args...)
			}
			same := take()
			if same.Dirty {
				t.Error("an unchanged tree is taken for changed")
			}
			write(t, filepath.Join(dir, "README.md"), "later\n")
			if changed := take(); !changed.Dirty || changed.Tree == same.Tree {
				t.Error("a change of content alone is not taken in")
			}
		})
	}
}
