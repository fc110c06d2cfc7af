package house_test

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"
)

// vague are names that say nothing of what is inside.
var vague = []string{"util", "utils", "common", "helper", "helpers", "types", "interfaces", "models", "misc"}

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		said[s.dir] = said[s.dir] || s.file.Doc.Text() != ""
	}
	for dir, ok := range said {
		if !ok {
			t.Errorf("package %s has no comment that says what it is for", dir)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		name := strings.TrimSuffix(path.Base(s.path), ".go")
		if slices.Contains(vague, name) || slices.Contains(vague, path.Base(s.dir)) {
			t.Errorf("%s: name it after what is inside", s.path)
		}
	}
}

func TestOnlyMainEndsTheProcess(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test || under(s.path, exits) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				checkExit(t, s, call)
			}
			return true
		})
	}
}

// checkExit allows os.Exit in package main, and log.Fatal nowhere.
func checkExit(t *testing.T, s source, call *ast.CallExpr) {
	t.Helper()
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return
	}
	name := pkg.Name + "." + sel.Sel.Name
	fatal := strings.HasPrefix(name, "log.Fatal") || strings.HasPrefix(name, "log.Panic")
	if fatal || (name == "os.Exit" && s.file.Name.Name != "main") {
		t.Errorf("%s:%d: %s: only main ends the process; return an error", s.path, line(call.Pos()), name)
	}
}

func TestNothingIsLeftToDo(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.dir == "internal/house" {
			continue
		}
		for _, group := range s.file.Comments {
			for _, word := range []string{"TODO", "FIXME", "XXX", "HACK"} {
				if slices.Contains(words(group.Text()), word) {
					t.Errorf("%s:%d: %s: file an issue, or do it", s.path, line(group.Pos()), word)
				}
			}
		}
	}
}

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
