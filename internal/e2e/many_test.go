package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// manyLimit is for all fifty; on a machine of its own they take half a minute.
const manyLimit = 5 * time.Minute

// Fifty sessions open and are torn down, eight at a time, every fifth with work
// in it: the inventory is empty then, the engine has nothing with a label, and
// of the repository only the saved work is left (X4).
func TestX4_FiftySessionsLeaveNothing(t *testing.T) {
	for _, name := range []string{"worktree", "container"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fifty(t, name == "container")
		})
	}
}

func fifty(t *testing.T, contained bool) {
	plugs := []any{map[string]any{"use": "worktree", "id": "src", "repo": "."}}
	agent := map[string]any{"use": "demo", "fs": true}
	var e engineOf
	if contained {
		e = engineOf{sharedHost(t)}
		e.imported(t)
		agent = map[string]any{"command": []string{"blaise", "demo-agent"}, "fs": true}
		plugs = append(plugs, map[string]any{
			"use": "container", "id": "box", "image": demoImage, "engine": e.host, "network": "none"})
	}
	config, _ := json.Marshal(map[string]any{ // JSON is YAML; plain values always marshal
		"version": 1, "agent": agent, "plugs": plugs, "runner": map[string]any{"slots": 8},
	})
	b := lab{startSplit(t, string(config))}
	worked := b.many(50)

	var v api.Inventory
	out := b.exec(filepath.Join(programs, "runner"), "inventory", "--json", "--state", filepath.Join(b.dir, "state"))
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	for _, thing := range v.Things {
		ours := worked[string(thing.Environment)] != "" // the engine has those of other tests, too
		if thing.Class != api.ClassKept && (ours || thing.Kind != "container" && thing.Kind != "volume") {
			t.Errorf("left: %+v", thing)
		}
	}
	if trees := strings.Count(b.exec("git", "worktree", "list", "--porcelain"), "worktree "); trees != 1 {
		t.Errorf("%d worktrees, want the repository's own", trees)
	}
	var want []string
	for id, text := range worked {
		if text != "hello" {
			want = append(want, "refs/blaise/"+id+"/1")
		}
		if contained {
			if got := e.of(t, blaise.SessionID(id)); strings.TrimSpace(got) != "" {
				t.Errorf("left on the engine of %s: %s", id, got)
			}
		}
	}
	slices.Sort(want)
	got := strings.Fields(b.exec("git", "for-each-ref", "--format=%(refname)", "refs/blaise", "refs/heads"))
	if !slices.Equal(got, append(want, "refs/heads/main")) {
		t.Errorf("refs: got %q, want %q and main", got, want)
	}
	if dirs, _ := os.ReadDir(filepath.Join(b.dir, "state", "environments")); len(dirs) > 0 {
		t.Errorf("%d directories of environments are left: %v", len(dirs), dirs)
	}
	b.await("no process but the two", func() bool { return len(left("", b.dir)) <= 2 })
}

// many starts sessions, ends each when it has answered, and returns when all
// are destroyed, with what each was told.
func (b lab) many(n int) map[string]string {
	b.t.Helper()
	told := map[string]string{}
	for i := range n {
		text := "hello"
		if i%5 == 0 {
			text = fmt.Sprintf("fswrite file%d.txt it stays", i)
		}
		told[string(b.start(text))] = text
	}
	ended := map[string]bool{}
	destroyed := func() (count int) {
		var all api.Sessions
		if err := json.Unmarshal([]byte(b.run("list", "--json")), &all); err != nil {
			b.t.Fatal(err)
		}
		for _, s := range all.Sessions {
			id := string(s.ID)
			if s.Environment == blaise.EnvDestroyed {
				count++
			} else if s.State == blaise.SessionIdle && !ended[id] {
				ended[id] = true
				b.run("end", id)
			}
		}
		return count
	}
	if !poll(manyLimit, func() bool { return destroyed() == n }) {
		b.t.Fatalf("%d of %d are destroyed within %s:\n%s", destroyed(), n, manyLimit, b.run("list"))
	}
	return told
}
