package plug_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/plug/plugtest"
)

// The shim and the home come in an image that is made once (issue 5, speed). A
// newer shim makes another, and the older one goes when no container needs it;
// files of the operator are in none.
func TestContainerReadyImage(t *testing.T) {
	t.Parallel()
	needEngine(t)
	shim := filepath.Join(t.TempDir(), "shim")
	built := plugtest.Shim(t)
	write(t, shim, read(t, built))
	if err := os.Chmod(shim, 0o755); err != nil {
		t.Fatal(err)
	}
	keys := map[string]any{"home": "/home/ready-test", "shim": shim, "user": "4567:4568"}
	imageOf := func(w *plugtest.World) string {
		return mustDocker(t, "inspect", "-f", "{{.Config.Image}}", "blaise-"+w.Session+"-box")
	}
	open := func() (*plugtest.World, string) {
		w := containerWorld(t, keys)
		env := w.Open().Env()
		plugtest.Sh(t, env, `test "$(stat -c %u:%g ~)" = 4567:4568; echo mine >~/file`)
		return w, imageOf(w)
	}
	there := func(image string) bool {
		_, err := docker("image", "inspect", image)
		return err == nil
	}

	first, old := open()
	second, same := open()
	if old != same || !strings.Contains(old, "blaise-ready:") {
		t.Errorf("the images are %s and %s, want one that is ready", old, same)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(shim, later, later); err != nil {
		t.Fatal(err)
	}
	third, newer := open()
	if newer == old || !there(old) {
		t.Errorf("a newer shim came in %s, and %s, of which containers are, is there: %t", newer, old, there(old))
	}
	destroy(t, first)
	destroy(t, second)
	later = later.Add(time.Hour)
	if err := os.Chtimes(shim, later, later); err != nil {
		t.Fatal(err)
	}
	fourth, newest := open()
	if there(old) || !there(newer) {
		t.Errorf("after the next shim, %s is there: %t; %s: %t", old, there(old), newer, there(newer))
	}
	login := filepath.Join(t.TempDir(), "login")
	write(t, login, "the login")
	keys["files"] = []string{login + ":~/login"}
	fifth, named := open()
	if strings.Contains(named, "blaise-ready:") {
		t.Errorf("with files the image is %s, want the one of blaise.yml", named)
	}
	for _, w := range []*plugtest.World{third, fourth, fifth} {
		destroy(t, w)
	}
	mustDocker(t, "rmi", newer, newest)
}

// Two runners of one engine whose shims differ take each other's images for
// older ones. Both open their containers.
func TestContainerReadyImageOfTwoRunners(t *testing.T) {
	t.Parallel()
	needEngine(t)
	built := plugtest.Shim(t)
	var shims [2]string
	for i := range shims {
		shims[i] = filepath.Join(t.TempDir(), "shim")
		write(t, shims[i], read(t, built))
		when := time.Now().Add(time.Duration(i) * time.Hour)
		if err := errors.Join(os.Chmod(shims[i], 0o755), os.Chtimes(shims[i], when, when)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			w := containerWorld(t, map[string]any{"home": "/home/two", "shim": shims[i%2], "user": "4567:4569"})
			plugtest.Sh(t, w.Open().Env(), "true")
			destroy(t, w)
		})
	}
}
