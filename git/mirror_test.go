package git_test

import (
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"blaise.dev/blaise/git"
)

// webRepo serves a repository as git's own server program does, to who knows
// the password, if there is one.
func webRepo(t *testing.T, password string) (url, dir string) {
	t.Helper()
	backend := filepath.Join(run(t, "/", "--exec-path"), "git-http-backend")
	if _, err := os.Stat(backend); err != nil {
		t.Skip("git has no http-backend here")
	}
	_, dir = newRepo(t)
	h := &cgi.Handler{Path: backend, Root: "/", Env: []string{
		"GIT_PROJECT_ROOT=" + filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=bot",
	}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, p, _ := r.BasicAuth(); p != password {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/repo/.git", dir
}

func parsed(t *testing.T, text string) git.URL {
	t.Helper()
	u, err := git.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A mirror follows its source: new commits, branches that go and come, another
// HEAD; what is ours in it stays.
func TestMirrorFollowsAndKeepsWhatIsOurs(t *testing.T) {
	t.Parallel()
	text, source := webRepo(t, "")
	run(t, source, "branch", "feature")
	dir, u := filepath.Join(tempDir(t), "m.git"), parsed(t, text)
	r, err := git.Mirror(t.Context(), dir, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := run(t, dir, "rev-parse", "feature")
	run(t, dir, "update-ref", "refs/blaise/s1/1", first)
	run(t, dir, "update-ref", "refs/heads/blaise/s1-restored", first)
	run(t, source, "branch", "-D", "feature")
	run(t, source, "checkout", "-q", "-b", "feature/new")
	run(t, source, "commit", "-q", "--allow-empty", "-m", "second")
	if r, err = git.Mirror(t.Context(), dir, u, nil); err != nil {
		t.Fatal(err)
	}
	if head, err := r.HeadBranch(t.Context()); head != "feature/new" || err != nil {
		t.Errorf("HEAD is %q, %v", head, err)
	}
	if got, want := run(t, dir, "rev-parse", "HEAD"), run(t, source, "rev-parse", "HEAD"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, ref := range []string{"refs/blaise/s1/1", "refs/heads/blaise/s1-restored"} {
		if got := run(t, dir, "rev-parse", ref); got != first {
			t.Errorf("%s is %s now", ref, got)
		}
	}
}

func TestMirrorIsFetchedByManyAtOnce(t *testing.T) {
	t.Parallel()
	text, _ := webRepo(t, "")
	dir, u := filepath.Join(tempDir(t), "m.git"), parsed(t, text)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if r, err := git.Mirror(t.Context(), dir, u, nil); err != nil || r.Dir != dir {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	all.Wait()
	run(t, dir, "fsck", "--strict")
}

// Passwords come from the user's own git and are asked of nobody.
func TestMirrorAsksNobodyForAPassword(t *testing.T) {
	text, _ := webRepo(t, "hunter2")
	dir, u := filepath.Join(tempDir(t), "m.git"), parsed(t, text)
	_, err := git.Mirror(t.Context(), dir, u, nil)
	var e *git.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "git ls-remote "+text) {
		t.Errorf("got %v", err)
	}
	ask := filepath.Join(tempDir(t), "ask")
	write(t, ask, "#!/bin/sh\necho hunter2\n")
	if err := os.Chmod(ask, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_ASKPASS", ask)
	if _, err := git.Mirror(t.Context(), dir, u, nil); err != nil {
		t.Error(err)
	}
}
