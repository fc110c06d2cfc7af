package git_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"blaise.dev/blaise/git"
)

// cutOff ends the connection in the middle of a pack.
type cutOff struct {
	http.ResponseWriter
	left int
}

func (c *cutOff) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left < 0 {
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(b)
}

// farRepo serves a repository of which no fetch has a whole pack until whole is
// set.
func farRepo(t *testing.T) (url string, whole *atomic.Bool) {
	t.Helper()
	_, source := webRepo(t, "")
	noise, chance := make([]byte, 16<<10), rand.NewChaCha8([32]byte{})
	for i := range 120 { // enough that git keeps the pack as it comes
		_, _ = chance.Read(noise)
		write(t, filepath.Join(source, "much", strconv.Itoa(i)), string(noise))
	}
	run(t, source, "add", ".")
	run(t, source, "commit", "-q", "-m", "much")
	h := &cgi.Handler{
		Path: filepath.Join(run(t, "/", "--exec-path"), "git-http-backend"), Root: "/",
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(source), "GIT_HTTP_EXPORT_ALL=1"},
	}
	whole = &atomic.Bool{}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !whole.Load() {
			w = &cutOff{ResponseWriter: w, left: 1 << 20}
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(far.Close)
	return far.URL + "/repo/.git", whole
}

// What a fetch left that died in the middle of a pack goes when somebody looks,
// or with the next fetch; what may be a living git's stays.
func TestMirrorIsClearedOfADeadFetch(t *testing.T) {
	t.Parallel()
	url, whole := farRepo(t)
	dir, u := filepath.Join(tempDir(t), "m.git"), parsed(t, url)
	if _, err := git.Mirror(t.Context(), dir, u, nil); err == nil {
		t.Fatal("fetched whole")
	}
	left, _ := filepath.Glob(filepath.Join(dir, "objects/pack/tmp_pack_*"))
	if len(left) == 0 {
		t.Skip("this git removes the half of a pack itself")
	}
	for name, text := range map[string]string{
		"packed-refs.lock": "", "refs/heads/main.lock": "", "objects/pack/pack-1.keep": "fetch-pack 1 on host",
	} {
		left = append(left, filepath.Join(dir, name))
		write(t, left[len(left)-1], text)
	}
	stays := func(why string) {
		t.Helper()
		clearMirror(t, dir)
		if there := existing(left); len(there) != len(left) {
			t.Errorf("%s: only %v are left", why, there)
		}
	}
	written(t, left, time.Hour)
	stays("somebody has just written it")
	written(t, left, -time.Minute)
	end := gitIn(t, dir)
	stays("a git works there")
	end()
	wanted := []string{filepath.Join(dir, "objects/pack/pack-2.keep"), filepath.Join(dir, "fetch.lock")}
	write(t, wanted[0], "a person wants it")
	whole.Store(true)
	if _, err := git.Mirror(t.Context(), dir, u, nil); err != nil {
		t.Fatal(err)
	}
	if there := existing(left); len(there) > 0 {
		t.Errorf("left: %v", there)
	}
	write(t, left[0], "")
	written(t, left[:1], -time.Minute)
	clearMirror(t, dir)
	if there := existing(append(wanted, left...)); !slices.Equal(there, wanted) {
		t.Errorf("there is %v, want %v", there, wanted)
	}
}

// written has the files look as if they had been written then.
func written(t *testing.T, paths []string, ago time.Duration) {
	t.Helper()
	for _, path := range paths {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(ago)); err != nil {
			t.Fatal(err)
		}
	}
}

// gitIn starts a git in a repository that ends when it is told to.
func gitIn(t *testing.T, dir string) (end func()) {
	t.Helper()
	alive := exec.Command("git", "cat-file", "--batch")
	alive.Dir = dir
	in, err := alive.StdinPipe()
	if err == nil {
		err = alive.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := errors.Join(in.Close(), alive.Wait()); err != nil {
			t.Error(err)
		}
	}
}

func existing(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil
	})
}

// clearMirror waits for a git of another test that is just starting: it has a
// copy of the lock until it runs.
func clearMirror(t *testing.T, dir string) {
	t.Helper()
	err := git.ClearMirror(t.Context(), dir)
	for end := time.Now().Add(10 * time.Second); errors.Is(err, git.ErrLocked) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
		err = git.ClearMirror(t.Context(), dir)
	}
	if err != nil {
		t.Fatal(err)
	}
}
