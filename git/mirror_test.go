package git_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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

// app and app.git beside each other are two repositories: each has a mirror, and
// who waits while one is fetched does not get the other.
func TestMirrorIsOfOneRepository(t *testing.T) {
	t.Parallel()
	_, app := newRepo(t)
	at := filepath.Dir(app)
	run(t, app, "commit", "-q", "--allow-empty", "-m", "app")
	run(t, at, "clone", "-q", app, app+".git")
	run(t, app+".git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "app.git")
	var all sync.WaitGroup
	for text, want := range map[string]string{"file://" + app: "app", "file://" + app + ".git": "app.git"} {
		u := parsed(t, text)
		all.Go(func() {
			r, err := git.Mirror(t.Context(), filepath.Join(at, "mirrors", u.Name()), u, nil)
			if err != nil {
				t.Error(err)
			} else if got := run(t, r.Dir, "log", "-1", "--format=%s", "HEAD"); got != want {
				t.Errorf("%s: got %q, want %q", text, got, want)
			}
		})
	}
	all.Wait()
	if found, _ := filepath.Glob(filepath.Join(at, "mirrors", "*")); len(found) != 2 {
		t.Errorf("got %v, want two mirrors", found)
	}
}

// A fetch from one place does not do for who wants another.
func TestMirrorIsFetchedFromWhereItIsAsked(t *testing.T) {
	t.Parallel()
	_, one := newRepo(t)
	_, other := newRepo(t)
	run(t, other, "commit", "-q", "--allow-empty", "-m", "other")
	dir := filepath.Join(tempDir(t), "m.git")
	if _, err := git.Mirror(t.Context(), dir, parsed(t, "file://"+one), nil); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour) // as if it was fetched while the next waits
	if err := os.Chtimes(filepath.Join(dir, "fetch.lock"), later, later); err != nil {
		t.Fatal(err)
	}
	if _, err := git.Mirror(t.Context(), dir, parsed(t, "file://"+other), nil); err != nil {
		t.Fatal(err)
	}
	if got := run(t, dir, "log", "-1", "--format=%s", "HEAD"); got != "other" {
		t.Errorf("got %q, want the other", got)
	}
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
	token := strings.Replace(text, "://", "://s3cret@", 1)
	_, err = git.Mirror(t.Context(), filepath.Join(tempDir(t), "m.git"), parsed(t, token), nil)
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "git ls-remote "+text) || strings.Contains(err.Error(), "s3cret") {
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

// Who waits for a mirror while it is removed fetches it anew, and what is being
// fetched is not removed.
func TestMirrorIsRemovedUnderNobody(t *testing.T) {
	t.Parallel()
	text, _ := webRepo(t, "")
	dir, u := filepath.Join(tempDir(t), "m.git"), parsed(t, text)
	if _, err := git.Mirror(t.Context(), dir, u, nil); err != nil {
		t.Fatal(err)
	}
	var fetching sync.WaitGroup
	defer fetching.Wait()
	remove := func(ctx context.Context) error {
		fetching.Go(func() {
			if r, err := git.Mirror(t.Context(), dir, u, nil); err != nil || r.Dir != dir {
				t.Errorf("fetched anew: %+v, %v", r, err)
			}
		})
		err := git.RemoveMirror(ctx, dir, func(context.Context) error { return nil })
		if !errors.Is(err, git.ErrLocked) {
			t.Errorf("removed while another has it: %v", err)
		}
		return nil
	}
	err := git.RemoveMirror(t.Context(), dir, remove)
	for deadline := time.Now().Add(10 * time.Second); errors.Is(err, git.ErrLocked) && time.Now().Before(deadline); {
		// A git that another test is just starting has a copy of the lock until it runs.
		time.Sleep(time.Millisecond)
		err = git.RemoveMirror(t.Context(), dir, remove)
	}
	if err != nil {
		t.Fatal(err)
	}
}
