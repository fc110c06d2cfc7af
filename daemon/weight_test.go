package daemon_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

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
		w.Fill(t.Context(), &api.Inventory{Things: things}, noScales)
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

// A directory that takes too long to look through keeps no others from being
// weighed: its turn comes after theirs.
func TestInventoryWeighsWhatAHugeDirectoryHeldUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w daemon.Weights
		things := []api.Thing{
			{Resource: blaise.Resource{Kind: "directory", Name: "huge"}}, {Resource: blaise.Resource{Kind: "directory", Name: "small"}},
		}
		var looked []string
		for range 3 {
			w.Walk(t.Context(), &api.Inventory{Things: things}, func(ctx context.Context, dir string) (int64, bool) {
				looked = append(looked, dir)
				if dir == "huge" {
					<-ctx.Done()
				}
				return 1, ctx.Err() == nil
			})
			time.Sleep(time.Hour)
		}
		if want := []string{"huge", "small", "huge", "small", "huge"}; !slices.Equal(looked, want) || things[1].Bytes != 1 {
			t.Errorf("looked through %q, want %q; small takes %d", looked, want, things[1].Bytes)
		}
	})
}

func noScales(context.Context, []blaise.Resource) (map[blaise.Resource]int64, []string) {
	return nil, nil
}

// Plugs are asked what their things take, and left alone for fifty times as long
// as that took them: the last answer is told meanwhile, an empty thing's too, and
// why there is none.
func TestInventoryAsksPlugsSeldom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		box := blaise.Resource{Kind: "container", Name: "box", Where: "engine"}
		home, lost := box, box
		home.Kind, lost.Name = "volume", "lost"
		asked := 0
		var w daemon.Weights
		look := func() api.Inventory {
			v := api.Inventory{Unseen: []string{"other"}, Things: []api.Thing{
				{Resource: box}, {Resource: home}, {Resource: lost, Class: api.ClassMissing},
			}}
			w.Fill(t.Context(), &v, func(_ context.Context, things []blaise.Resource) (map[blaise.Resource]int64, []string) {
				asked++
				time.Sleep(time.Second)
				if len(things) != 2 {
					t.Errorf("asked for %v", things)
				}
				if asked == 1 {
					return map[blaise.Resource]int64{box: 0}, []string{"plug box: not all"}
				}
				return map[blaise.Resource]int64{home: 5}, nil
			})
			return v
		}
		for range 2 {
			v := look()
			if v.Things[0].WeighedAt.IsZero() || !v.Things[1].WeighedAt.IsZero() || !v.Things[2].WeighedAt.IsZero() {
				t.Errorf("weighed: %+v", v.Things)
			}
			if len(v.Unseen) != 2 || v.Unseen[1] != "plug box: not all" {
				t.Errorf("said: %q", v.Unseen)
			}
		}
		time.Sleep(49 * time.Second)
		if look(); asked != 1 {
			t.Errorf("asked %d times within fifty times as long", asked)
		}
		time.Sleep(time.Second)
		if v := look(); asked != 2 || v.Things[0].WeighedAt.IsZero() || v.Things[1].Bytes != 5 || len(v.Unseen) != 1 {
			t.Errorf("asked %d times, and got %+v", asked, v)
		}
	})
}
