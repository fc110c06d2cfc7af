package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every line stands where the table says, what remains is a program, and the
// test is there: so the table stays true without running it.
func TestTheTableIsTrue(t *testing.T) {
	t.Parallel()
	for _, m := range table() {
		text, err := m.mutated()
		if err != nil {
			t.Error(err)
			continue
		}
		if filepath.Ext(m.file) == ".go" {
			if _, err := parser.ParseFile(token.NewFileSet(), m.file, text, 0); err != nil {
				t.Errorf("%s: %s: without the line it is no Go: %v", m.number, m.holds, err)
			}
		}
		if !exists(t, m.test) {
			t.Errorf("%s: %s: there is no test %s", m.number, m.holds, m.test)
		}
	}
}

func exists(t *testing.T, test string) bool {
	t.Helper()
	pkg, name, _ := strings.Cut(test, " ")
	name, _, _ = strings.Cut(name, "/")
	files, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "func "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}

// Each of A has a line, and a test named after it notices; the rest of the table
// is of numbers that docs/requirements.md has.
func TestEveryRequirementHasALine(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "requirements.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"X1", "X2", "X3", "X7", "X11"}
	for _, m := range regexp.MustCompile(`(?m)^\| (A\d+) \|`).FindAllStringSubmatch(string(page), -1) {
		want = append(want, m[1])
	}
	if len(want) < 38 {
		t.Fatalf("docs/requirements.md has only %v", want)
	}
	for _, number := range want {
		named := regexp.MustCompile(`[a-z_/]` + number + `([^0-9]|$)`)
		if !slices.ContainsFunc(table(), func(m mutant) bool { return m.number == number && named.MatchString(m.test) }) {
			t.Errorf("%s has no line in the table that a test named after it misses", number)
		}
	}
	for _, m := range table() {
		if !strings.Contains(string(page), "| "+m.number+" |") {
			t.Errorf("docs/requirements.md has no %s", m.number)
		}
	}
}

var update = flag.Bool("update", false, "write docs/mutants.md anew")

func TestThePageIsFresh(t *testing.T) {
	t.Parallel()
	path := filepath.Join(root, "docs", "mutants.md")
	want := page()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is stale (%v): go test ./internal/mutants -update", path, err)
	}
}

// What is printed of a mutant tells a caught one from one that proves nothing.
func TestComplaint(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]string{
		"=== RUN TestX\n    x_test.go:3: got 1\n--- FAIL: TestX (0.0s)\n": "x_test.go:3: got 1",
		"panic: out of range\n": "panic: out of range",
		"PASS\n":                "",
	} {
		if got := complaint(out); got != want {
			t.Errorf("complaint of %q: %q, want %q", out, got, want)
		}
	}
	if got := pattern("TestA/b"); got != "^TestA$/^b$" {
		t.Error(fmt.Sprintf("pattern %s", got))
	}
}
