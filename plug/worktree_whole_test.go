package plug_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise/plug/plugtest"
)

// longName is longer than a file's name can be. It is in a directory: of one at
// the top git checkout says that it failed.
var longName = "d/long-" + strings.Repeat("n", 300)

// commitLong gives the repository a commit with a file that no disk can hold.
func commitLong(t *testing.T, repo string) {
	t.Helper()
	blob := gitIn(t, repo, "rev-parse", "HEAD:a.txt")
	gitIn(t, repo, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+longName)
	gitIn(t, repo, "commit", "-qm", "a long name")
}

// What is checked out is whole, or nothing opens and the file is told: in a
// linked worktree, a clone, a mirror's, and a submodule.
func TestWorktreeOpensWholeOrNot(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func(t *testing.T) *plugtest.World{
		"linked": func(t *testing.T) *plugtest.World {
			repo := newRepo(t)
			commitLong(t, repo)
			return newWorktree(t, repo, nil)
		},
		"alone": func(t *testing.T) *plugtest.World {
			repo := newRepo(t)
			commitLong(t, repo)
			w := newWorktree(t, repo, nil)
			isolate(w)
			return w
		},
		"by URL": func(t *testing.T) *plugtest.World {
			repo := newRepo(t)
			commitLong(t, repo)
			return urlWorld(t, repo, "file:///**")
		},
		"submodule": func(t *testing.T) *plugtest.World {
			far := newFar(t)
			commitLong(t, far+"/lib")
			link := "160000," + gitIn(t, far+"/lib", "rev-parse", "HEAD") + ",third/lib"
			gitIn(t, far+"/app", "update-index", "--cacheinfo", link)
			gitIn(t, far+"/app", "commit", "-qm", "a long name")
			return farWorld(t, far, "file:///**")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contains(t, openError(t, world(t)).Error(), longName)
		})
	}
}
