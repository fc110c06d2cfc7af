package main

import (
	"bytes"
	"testing"

	"blaise.dev/blaise/git"

	"github.com/creack/pty"
)

// A terminal that does not say how wide it is, as in a container, is one all the
// same: what is hostile in a change does not reach it. Elsewhere the change is
// whole, to be applied.
func TestDiffOnATerminalWithoutASize(t *testing.T) {
	t.Parallel()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skipf("no terminal can be had: %v", err)
	}
	defer func() { _, _ = ours.Close(), theirs.Close() }()
	d := sessionDiff{Diff: git.Diff{Patch: "+\x1b[2J\x9b31m\n", Files: []git.FileChange{{Path: "a"}}}}
	for want, a := range map[string]*app{"+\uFFFD[2J\uFFFD31m\n": {colour: "never"}, d.Patch: {}} {
		if want != d.Patch {
			a.lookAt(theirs)
		}
		var b bytes.Buffer
		a.out = &b
		if err := a.printDiff(d, false); err != nil || b.String() != want || a.width != 0 {
			t.Errorf("got %q, %v, want %q", b.String(), err, want)
		}
	}
}

// Each file has one line, whatever is in its name.
func TestDiffStatIsALineForEachFile(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	a := &app{out: &b}
	d := sessionDiff{Diff: git.Diff{Files: []git.FileChange{
		{Path: "a\n  +9    -0  b", Added: 1}, {Path: "c\t\u202e\xff", Added: -1}, {Path: "é \"d\"", Deleted: 2},
	}}}
	want := "   +1    +0  \"a\\n  +9    -0  b\"\n  binary  \"c\\t\\u202e\\xff\"\n   +0    -2  é \"d\"\n"
	if err := a.printDiff(d, true); err != nil || b.String() != want {
		t.Errorf("got\n%s, %v, want\n%s", b.String(), err, want)
	}
}
