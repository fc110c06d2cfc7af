package store_test

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise/store"
)

// A record is what testdata/released.txt says.
type record struct {
	version    string // the last
	generation int    // of its tables; 0 before the first release
	migrations map[string]string
}

func parseRecord(text string) (record, error) {
	r := record{migrations: map[string]string{}}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var name, sum string
		into := []any{&r.version, &r.generation}
		migration := strings.HasPrefix(line, "\t")
		if migration {
			into = []any{&name, &sum}
		}
		if _, err := fmt.Sscan(line, into...); err != nil {
			return r, fmt.Errorf("read %q: %w", line, err)
		}
		if migration {
			r.migrations[name] = sum
		}
	}
	return r, nil
}

var version = regexp.MustCompile(`(?m)^## \[?v?([0-9][^\] \n]*)`)

// judge says what is wrong with a generation where there are such migrations,
// each with its sum, and such a changelog.
func (r record) judge(generation int, migrations map[string]string, changelog string) error {
	var wrong []error
	var since string
	for _, name := range slices.Sorted(maps.Keys(migrations)) {
		if _, old := r.migrations[name]; !old {
			since += "\t" + name + " " + migrations[name] + "\n"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.migrations)) {
		if migrations[name] != r.migrations[name] {
			wrong = append(wrong, fmt.Errorf("%s was released, and is another now: write a migration after it", name))
		}
	}
	want := max(r.generation, 1)
	if r.generation > 0 && since != "" {
		want = r.generation + 1
	}
	if generation != want {
		wrong = append(wrong, fmt.Errorf("store/generation.go has generation %d, want %d: since %s there is\n%s",
			generation, want, cmp.Or(r.version, "the beginning"), since))
	}
	if last := version.FindStringSubmatch(changelog); last != nil && last[1] != r.version {
		wrong = append(wrong, fmt.Errorf("CHANGELOG.md has version %s, released.txt does not; add\n%s %d\n%s",
			last[1], last[1], want, since))
	}
	return errors.Join(wrong...)
}

// The first migration after a release raises the generation, and none that was
// released is changed.
func TestTheGenerationIsRaisedWithTheTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/released.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := parseRecord(string(text))
	if err != nil {
		t.Fatal(err)
	}
	changelog, err := os.ReadFile(filepath.Join("..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	dsn, generation := "sqlite:"+t.TempDir(), 0
	if err := open(t, dsn, store.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := raw(t, dsn, "blaise.db").QueryRow(`SELECT generation FROM store`).Scan(&generation); err != nil {
		t.Fatal(err)
	}
	if err := r.judge(generation, sums(t, os.DirFS("migrations")), string(changelog)); err != nil {
		t.Error(err)
	}
}

func sums(t *testing.T, migrations fs.FS) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(migrations, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations, path)
		all[path] = fmt.Sprintf("%.8x", sha256.Sum256(text))
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("found %d migrations: %v", len(all), err)
	}
	return all
}

// What is noticed, and what is not said for nothing.
func TestWhatIsSaidOfAGeneration(t *testing.T) {
	t.Parallel()
	const one, two = "0.1.0 1\n\ta.sql 11\n", "0.1.0 1\n\ta.sql 11\n0.2.0 2\n\tb.sql 22\n"
	a, ab := map[string]string{"a.sql": "11"}, map[string]string{"a.sql": "11", "b.sql": "22"}
	for name, c := range map[string]struct {
		record     string
		generation int
		migrations map[string]string
		changelog  string
		want       string // in what is said; "" for nothing
	}{
		"before a release":            {"", 1, ab, "## Unreleased\n", ""},
		"at the first":                {"", 1, a, "## [v0.1.0] - 2030-01-01\n", "add\n0.1.0 1\n\ta.sql 11\n"},
		"after it":                    {one, 1, a, "## Unreleased\n## [v0.1.0]\n", ""},
		"the first migration then":    {one, 1, ab, "## 0.1.0\n", "generation 1, want 2: since 0.1.0 there is\n\tb.sql 22"},
		"raised":                      {one, 2, ab, "## 0.1.0\n", ""},
		"raised for nothing":          {one, 2, a, "## 0.1.0\n", "generation 2, want 1"},
		"at the second":               {one, 2, ab, "## 0.2.0\n## 0.1.0\n", "add\n0.2.0 2\n\tb.sql 22\n"},
		"after it, no tables changed": {two, 2, ab, "## 0.2.0\n", ""},
		"a third without tables":      {two, 2, ab, "## 0.3.0\n", "add\n0.3.0 2\n"},
		"a released one is changed":   {one, 1, map[string]string{"a.sql": "12"}, "## 0.1.0\n", "a.sql was released"},
		"a released one is gone":      {two, 2, a, "## 0.2.0\n", "b.sql was released"},
	} {
		r, err := parseRecord("# a comment\n" + c.record)
		if err != nil {
			t.Fatal(err)
		}
		err = r.judge(c.generation, c.migrations, c.changelog)
		if said := fmt.Sprint(err); (err == nil) != (c.want == "") || !strings.Contains(said, c.want) && err != nil {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}
