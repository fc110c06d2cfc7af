package plugtest

import (
	"strconv"
	"strings"
	"testing"
)

// Apart checks that two sessions at once do not touch each other, and that what
// runs in the layer of one neither reads nor changes the place of another: it
// is for layers that are walls. The setup has a layer around it that gives each
// session a directory of its own.
func Apart(t *testing.T, setup func(t *testing.T) Setup) {
	t.Run("two sessions at once, each in a directory of its own", func(t *testing.T) {
		t.Parallel()
		twoAtOnce(t, setup(t))
	})
	t.Run("one session does not see another", func(t *testing.T) {
		t.Parallel()
		doNotSee(t, setup(t))
	})
}

func doNotSee(t *testing.T, s Setup) {
	worlds := []*World{s.world(t), s.world(t)}
	var places [][2]string
	for i, w := range worlds {
		env := w.Open().Env()
		Sh(t, env, "echo mine >who-of-test; echo mine >~/who-of-test; mkdir ~/left"+strconv.Itoa(i))
		places = append(places, [2]string{env.Place().Dir, env.Place().Home})
	}
	for i, w := range worlds {
		env, other := w.Open().Env(), places[1-i]
		for _, dir := range other {
			got := Sh(t, env, `
				if cat '`+dir+`/who-of-test' 2>/dev/null; then echo reads; fi
				(echo theirs >'`+dir+`/who-of-test') 2>/dev/null || true
				rm '`+dir+`/who-of-test' 2>/dev/null || true`)
			if strings.Contains(got, "reads") {
				t.Errorf("session %d reads %s of the other: %s", i, dir, got)
			}
		}
	}
	for _, w := range worlds {
		if got := Sh(t, w.Open().Env(), "cat who-of-test ~/who-of-test"); got != "mine\nmine" {
			t.Errorf("another session wrote: %q", got)
		}
		s.destroyed(t, w)
	}
}
