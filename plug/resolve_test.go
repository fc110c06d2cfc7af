package plug_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// A path leads where the kernel would follow it, whatever it looks like (B4).
func TestResolveFollowsLinksWhereTheAgentLives(t *testing.T) {
	t.Parallel()
	outside, dir := plugtest.TempDir(t), filepath.Join(plugtest.TempDir(t), "ws")
	for _, d := range []string{filepath.Join(dir, "sub"), filepath.Join(outside, "deep")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"out": outside, "deep": filepath.Join(outside, "deep"), "in": "sub",
		"dangling": "sub/../../none", "loop": "loop", "new": "sub/made-later",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []plug.Found{
		{Said: "sub/a", Real: "sub/a"},
		{Said: "not/there/yet", Real: "not/there/yet"},
		{Said: "in/a", Real: "sub/a"},
		{Said: "new", Real: "sub/made-later"},
		{Said: "out/a", Real: filepath.Join(outside, "a")},
		{Said: "dangling", Real: filepath.Join(filepath.Dir(dir), "none")},
		{Said: "loop", Real: ""},
	} {
		found := resolved(t, dir, c.Said, filepath.Join(dir, c.Said))
		if !slices.Equal(found, []plug.Found{c, c}) {
			t.Errorf("got %+v, want %+v twice", found, c)
		}
	}
	found := resolved(t, dir, "../x", dir+"/../x", dir, "deep/../x", "sub/../x", "/etc/../etc/hosts")
	want := []plug.Found{
		{Said: filepath.Dir(dir) + "/x", Real: filepath.Dir(dir) + "/x"},
		{Said: filepath.Dir(dir) + "/x", Real: filepath.Dir(dir) + "/x"},
		{Said: ".", Real: "."},
		{Said: "x"}, // the kernel would go to the folder above the link's target
		{Said: "x", Real: "x"},
		{Said: "/etc/hosts", Real: "/etc/hosts"},
	}
	if !slices.Equal(found, want) {
		t.Errorf("got %+v, want %+v", found, want)
	}
}

func resolved(t *testing.T, dir string, paths ...string) []plug.Found {
	t.Helper()
	found, err := plug.Resolve(t.Context(), &plug.Local{Dir: dir}, paths)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
