package house_test

import (
	"go/ast"
	"testing"
)

const (
	maxFile     = 400
	goodFile    = 300
	maxTestFile = 600
	maxFunc     = 60
)

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		n, most := line(s.file.FileEnd), maxFile
		if s.test {
			most = maxTestFile
		}
		switch {
		case n > most:
			t.Errorf("%s has %d lines, more than %d: find the noun that wants its own file", s.path, n, most)
		case !s.test && n > goodFile:
			t.Logf("%s has %d lines, more than the %d we aim at", s.path, n, goodFile)
		}
		if !s.test {
			checkFuncs(t, s)
		}
	}
}

func checkFuncs(t *testing.T, s source) {
	t.Helper()
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := line(f.End()) - line(f.Pos()) + 1; n > maxFunc {
			t.Errorf("%s:%d: func %s has %d lines, more than %d", s.path, line(f.Pos()), f.Name.Name, n, maxFunc)
		}
	}
}
