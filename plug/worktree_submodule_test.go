package plug_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// newFar is a place with the repository app, which has lib as a submodule, which
// has deep; both addresses are relative.
func newFar(t *testing.T) (far string) {
	t.Helper()
	far = filepath.Dir(newRepo(t))
	for _, name := range []string{"app", "lib", "deep"} {
		gitIn(t, far, "clone", "-q", "repo", name)
	}
	add := func(to, what, at string) {
		t.Helper()
		gitIn(t, filepath.Join(far, to), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../"+what, at)
		gitIn(t, filepath.Join(far, to), "commit", "-qam", "with "+what)
	}
	for _, name := range []string{"app", "lib"} { // what the addresses are relative to
		gitIn(t, filepath.Join(far, name), "remote", "set-url", "origin", "file://"+filepath.Join(far, name))
	}
	add("lib", "deep", "in/deep")
	add("app", "lib", "third/lib")
	return far
}

func farWorld(t *testing.T, far string, allowed ...string) *plugtest.World {
	t.Helper()
	w := newWorktree(t, far, map[string]any{"repo": "file://" + filepath.Join(far, "app"), "submodules": true})
	w.Options.Repos = allowed
	return w
}

// Submodules of a repository by URL are checked out, nested ones too, each with
// its own address for its origin; the agent's work in them is saved and comes back.
func TestWorktreeByURLWithSubmodules(t *testing.T) {
	t.Parallel()
	far := newFar(t)
	w := farWorld(t, far, "file://"+far+"/*")
	s := w.Open()
	dir := s.Env().Place().Dir
	lib := filepath.Join(dir, "third/lib")
	for path, of := range map[string]string{"third/lib": "lib", "third/lib/in/deep": "deep"} {
		read(t, filepath.Join(dir, path, "a.txt"))
		if got := gitIn(t, filepath.Join(dir, path), "remote", "get-url", "origin"); got != "file://"+filepath.Join(far, of) {
			t.Errorf("origin of %s: %s", path, got)
		}
	}
	for line := range strings.Lines(gitIn(t, dir, "submodule", "status", "--recursive")) {
		if !strings.HasPrefix(line, " ") { // else it says what is amiss
			t.Errorf("status: %q", line)
		}
	}
	if got := gitIn(t, dir, "status", "--porcelain"); got != "" {
		t.Errorf("it begins with changes: %q", got)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".git/modules/*/*/objects/info/alternates")); len(files) > 0 {
		t.Errorf("it shares objects: %v", files)
	}
	if saved := save(t, s); len(saved) > 0 {
		t.Errorf("saved though nothing was done: %+v", saved)
	}
	write(t, filepath.Join(lib, "new.txt"), "new\n")
	saved := save(t, s)
	if len(saved) != 1 {
		t.Fatalf("saved %+v", saved)
	}
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := farWorld(t, far, "file://"+far+"/*")
	next.State, next.Session = w.State, w.Session
	next.Options.Environment, next.Options.Restore = w.Session+"-2", saved[0]
	again := next.Open().Env().Place().Dir
	contains(t, read(t, filepath.Join(again, "third/lib/new.txt")), "new")
}

// Each address must be one that runner.repos allows; else the run is refused
// before anything is made. So it is with a commit that cannot be had.
func TestWorktreeByURLRefusesSubmodules(t *testing.T) {
	t.Parallel()
	far := newFar(t)
	w := farWorld(t, far, "file://"+far+"/app", "file://"+far+"/lib")
	err := openError(t, w)
	if !errors.Is(err, plug.ErrRefused) {
		t.Errorf("got %v, want a refusal", err)
	}
	contains(t, err.Error(), `submodule "third/lib/in/deep"`, "runner.repos", far+"/deep")
	if made, _ := filepath.Glob(filepath.Join(w.State, "environments", w.Session, "src", w.Session+"*")); len(made) > 0 {
		t.Errorf("made: %v", made)
	}
	if err := os.RemoveAll(filepath.Join(far, "deep")); err != nil {
		t.Fatal(err)
	}
	gitIn(t, far, "clone", "-q", "repo", "other")
	gitIn(t, filepath.Join(far, "other"), "commit", "-q", "--amend", "-m", "of another past")
	if err := os.Rename(filepath.Join(far, "other"), filepath.Join(far, "deep")); err != nil {
		t.Fatal(err)
	}
	err = openError(t, farWorld(t, far, "file://"+far+"/*"))
	if !errors.Is(err, plug.ErrRefused) {
		t.Errorf("got %v, want a refusal", err)
	}
	contains(t, err.Error(), "no branch or tag of file://"+far+"/deep leads to its commit")
}

// A .gitmodules that is too large is refused, with how much it may have.
func TestWorktreeByURLRefusesHugeGitmodules(t *testing.T) {
	t.Parallel()
	for want, one := range map[string]string{
		"more than 2000 paths": "[submodule \"%d\"]\n\tpath = p%[1]d\n\turl = ../lib\n",
		"more than 1048576":    "# %d " + strings.Repeat("x", 200) + "\n",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			far := newFar(t)
			var text strings.Builder
			for i := range 6000 {
				fmt.Fprintf(&text, one, i)
			}
			write(t, far+"/app/.gitmodules", text.String())
			gitIn(t, far+"/app", "commit", "-qam", "huge")
			err := openError(t, farWorld(t, far, "file:///**"))
			if contains(t, err.Error(), want); !errors.Is(err, plug.ErrRefused) {
				t.Errorf("got %v, want a refusal", err)
			}
		})
	}
}

// What an agent has committed sends the runner to no address: the submodules are
// those of base.
func TestWorktreeByURLTakesSubmodulesFromBase(t *testing.T) {
	t.Parallel()
	far := newFar(t)
	gitIn(t, far, "clone", "-q", "repo", "secret")
	w := farWorld(t, far, "file://"+far+"/*")
	s := w.Open()
	dir := s.Env().Place().Dir
	gitIn(t, dir, "config", "-f", ".gitmodules", "submodule.third/lib.url", "../secret")
	gitIn(t, dir, "commit", "-qam", "another address")
	saved := save(t, s)
	if err := s.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	next := farWorld(t, far, "file://"+far+"/*")
	next.State, next.Session = w.State, w.Session
	next.Options.Environment, next.Options.Restore = w.Session+"-2", saved[0]
	next.Open()
	if mirrors, _ := filepath.Glob(filepath.Join(w.State, "mirrors", "*secret*")); len(mirrors) > 0 {
		t.Errorf("fetched: %v", mirrors)
	}
}
