package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A block of docs/api.md: what is run, and what the last line that it prints
// looks like, if that is said.
type block struct{ script, answer string }

// docs/api.md runs as it stands, in one shell, and what is answered has at least
// what the page shows.
func TestAPIPageRuns(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl: apt-get install curl")
	}
	b := lab{startSplit(t, demoConfig)}
	token, err := os.ReadFile(filepath.Join(b.dir, "data", "admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := blocksOf(t, "../../docs/api.md")
	script := "set -eu\n"
	for i, k := range blocks {
		script += fmt.Sprintf("%s\nprintf '\\n@@%d\\n'\n", k.script, i)
	}
	ctx, stop := context.WithTimeout(t.Context(), limit) // the page waits for ever
	defer stop()
	c := exec.CommandContext(ctx, "sh", "-c", script)
	c.WaitDelay = patience
	c.Env = append(b.env, "BLAISE_URL="+b.url(), "BLAISE_TOKEN="+strings.TrimSpace(string(token)))
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v, after:\n%s", err, out)
	}
	rest := string(out)
	for i, k := range blocks {
		said, after, _ := strings.Cut(rest, fmt.Sprintf("\n@@%d\n", i))
		rest = after
		if k.answer == "" {
			continue
		}
		lines := strings.Split(strings.TrimSpace(said), "\n")
		var have, want any
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &have); err != nil {
			t.Errorf("block %d answers %q: %v", i+1, said, err)
		} else if err := json.Unmarshal([]byte(k.answer), &want); err != nil {
			t.Errorf("the answer of block %d is no JSON: %v", i+1, err)
		} else if err := shows(have, want, "answer"); err != nil {
			t.Errorf("block %d: %v\n%s", i+1, err, said)
		}
	}
}

var fence = regexp.MustCompile("(?s)```(sh|json)\n(.*?)```")

func blocksOf(t *testing.T, file string) (all []block) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		if m[1] == "sh" {
			all = append(all, block{script: m[2]})
		} else {
			all[len(all)-1].answer = m[2]
		}
	}
	return all
}

// shows says what is in the example and not in the answer: a field, or another
// type of value. What is a word in the example of a state, kind or code is the
// same in the answer.
func shows(have, want any, at string) error {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, want an object", at, have)
		}
		for k, v := range w {
			if _, ok := h[k]; !ok {
				return fmt.Errorf("%s has no %s", at, k)
			}
			if err := shows(h[k], v, at+"."+k); err != nil {
				return err
			}
		}
	case []any:
		h, ok := have.([]any)
		if !ok || len(h) < min(1, len(w)) {
			return fmt.Errorf("%s is %v, want a list like %v", at, have, w)
		}
		if len(w) > 0 {
			return shows(h[0], w[0], at+"[0]")
		}
	default:
		fixed := regexp.MustCompile(`\.(state|code|status|result|use|what|title)$`).MatchString(at)
		if fmt.Sprintf("%T", have) != fmt.Sprintf("%T", want) || fixed && have != want {
			return fmt.Errorf("%s is %v, want one like %v", at, have, want)
		}
	}
	return nil
}
