package blaise_test

import (
	"strings"
	"testing"

	"blaise.dev/blaise"
)

// What a refusal offers is possible: nothing is to be gone on from, or paused,
// that has ended without saved work.
func TestWhatIsOfferedIsPossible(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want string }{
		"ended with work":             {blaise.GoOnHint("abcd", 1, blaise.EnvDestroyed), "blaise start --from abcd"},
		"ended, its work on its way":  {blaise.GoOnHint("abcd", 0, blaise.EnvTearingDown), "blaise start --from abcd"},
		"ended without":               {blaise.GoOnHint("abcd", 0, blaise.EnvDestroyed), "blaise start --again abcd"},
		"asked for work of the ended": {blaise.UnsavedHint("abcd", true, blaise.EnvDestroyed), "blaise start --again abcd"},
		"asked for what is on its way": {blaise.UnsavedHint("abcd", true, blaise.EnvTeardownWaiting),
			"still to be taken down"},
		"asked for what is at work":    {blaise.UnsavedHint("abcd", false, blaise.EnvOpen), "blaise pause abcd"},
		"asked for what has not begun": {blaise.UnsavedHint("abcd", false, blaise.EnvNone), "at every pause and end"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: %q has not %q", name, c.got, c.want)
		}
	}
}
