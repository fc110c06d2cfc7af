package daemon_test

import (
	"os"
	"path/filepath"
	"testing"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/daemon"
)

// What an environment takes on disk is told with the inventory, and looked at
// once for all who ask soon after one another.
func TestInventoryWeighsDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a", "b", name), make([]byte, 1<<20), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	var w daemon.Weights
	look := func() (bytes, other int64) {
		things := []api.Thing{
			{Resource: blaise.Resource{Kind: "directory", Name: dir}}, {Resource: blaise.Resource{Kind: "branch", Name: dir}},
		}
		w.Fill(t.Context(), things)
		return things[0].Bytes, things[1].Bytes
	}
	first, other := look()
	if first < 1<<20 || first > 2<<20 || other != 0 {
		t.Errorf("a directory with 1 MiB in it takes %d, and a branch %d", first, other)
	}
	write("two")
	if again, _ := look(); again != first {
		t.Errorf("it was looked through again at once: %d, then %d", first, again)
	}
}
