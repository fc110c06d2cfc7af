package near_test

import (
	"testing"

	"blaise.dev/blaise/internal/near"
)

func TestWord(t *testing.T) {
	t.Parallel()
	names := []string{"use", "id", "repo", "base", "branch"}
	for word, want := range map[string]string{
		"bse": "base", "bsae": "base", "Branch": "branch", "brnach": "branch", "rpo": "repo", "usr": "use",
		"timeout": "", "x": "",
	} {
		if got := near.Word(word, names); got != want {
			t.Errorf("Word(%q) = %q, want %q", word, got, want)
		}
	}
	if got, want := near.DidYouMean("bse", names), `; did you mean "base"?`; got != want {
		t.Errorf("DidYouMean = %q, want %q", got, want)
	}
}
