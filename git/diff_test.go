package git_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A diff that would be too long ends at a line, and says that there is more.
func TestDiffIsCut(t *testing.T) {
	t.Parallel()
	r, dir := newRepo(t)
	base, err := r.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		write(t, filepath.Join(dir, fmt.Sprintf("file-%02d.txt", i)), strings.Repeat("a line of text\n", 1000))
	}
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-qm", "many")
	whole, err := r.Diff(t.Context(), base, "HEAD", 1<<30)
	if err != nil || whole.Cut || len(whole.Files) != 50 {
		t.Fatalf("whole: cut %v, %d files, %v", whole.Cut, len(whole.Files), err)
	}
	part, err := r.Diff(t.Context(), base, "HEAD", 100_000)
	if err != nil || !part.Cut || len(part.Files) != 50 || len(part.Patch) < 99_000 || len(part.Patch) > 100_000 {
		t.Fatalf("part: cut %v, %d files, %d bytes, %v", part.Cut, len(part.Files), len(part.Patch), err)
	}
	if !strings.HasPrefix(whole.Patch, part.Patch) || !strings.HasSuffix(part.Patch, "\n") {
		t.Errorf("it ends with %q", part.Patch[len(part.Patch)-40:])
	}
	few, err := r.Diff(t.Context(), base, "HEAD", 200)
	if err != nil || !few.Cut || len(few.Files) == 0 || len(few.Files) > 12 || few.Files[0] != whole.Files[0] {
		t.Errorf("few: cut %v, %v, %v", few.Cut, few.Files, err)
	}
	none, err := r.Diff(t.Context(), base, "HEAD", 0)
	if err != nil || none.Cut || len(none.Files) != 50 || none.Patch != "" {
		t.Errorf("without a patch: cut %v, %d files, %v", none.Cut, len(none.Files), err)
	}
}

// A patch has a part for each file that the list has, under its name, whatever
// git is configured to show.
func TestDiffOfASubmoduleHasItsPart(t *testing.T) {
	t.Parallel()
	r, dir := newRepo(t)
	base, err := r.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, "config", "diff.submodule", "log")
	run(t, dir, "config", "diff.noprefix", "true")
	run(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+base+",sub")
	run(t, dir, "commit", "-qm", "a submodule")
	d, err := r.Diff(t.Context(), base, "HEAD", 1<<20)
	if err != nil || len(d.Files) != 1 || !strings.HasPrefix(d.Patch, "diff --git a/sub b/sub\n") {
		t.Errorf("%v, %v\n%s", err, d.Files, d.Patch)
	}
}
