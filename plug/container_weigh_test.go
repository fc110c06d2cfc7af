package plug_test

import (
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// What was written in a container and in its home has a weight, and what is
// elsewhere has none.
func TestContainerWeighs(t *testing.T) {
	t.Parallel()
	spec := containerSpec(t, nil)
	w := plugtest.NewWorld(t, host(t, newRepo(t)), plug.NewSpec("worktree", "src", nil), spec)
	plugtest.Sh(t, w.Open().Env(), "dd if=/dev/zero of=/big bs=1M count=3; dd if=/dev/zero of=$HOME/big bs=1M count=2")
	if err := w.Stack().Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := plug.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	things := w.Ledger()
	for _, r := range things {
		if strings.HasSuffix(r.Name, "-seed") {
			t.Errorf("the ledger has what was removed: %+v", r)
		}
	}
	there := blaise.Resource{Kind: "container", Name: "blaise-" + w.Session + "-box", Where: "elsewhere"}
	weights := weigh(t, p.(plug.Weigher), append(things, there))
	for r, bytes := range weights {
		least := map[string]int64{"container": 3 << 20, "volume": 0}[r.Kind]
		if strings.HasSuffix(r.Name, "-home") {
			least = 2 << 20
		}
		if bytes < least || bytes > 4<<20 {
			t.Errorf("%s %s takes %d", r.Kind, r.Name, bytes)
		}
	}
	for _, r := range append(things, there) {
		_, weighed := weights[r]
		if want := r != there && (r.Kind == "container" || r.Kind == "volume"); weighed != want {
			t.Errorf("%+v weighed: %t, want %t", r, weighed, want)
		}
	}
	destroy(t, w)
}

// weigh asks until the engine answers: it does so to one at a time, and fails
// over what another test removes meanwhile.
func weigh(t *testing.T, w plug.Weigher, things []blaise.Resource) map[blaise.Resource]int64 {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		weights, err := w.Weigh(t.Context(), things)
		if err == nil {
			return weights
		}
		if time.Now().After(limit) {
			t.Fatal(err)
		}
	}
}
