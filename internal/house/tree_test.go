package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const (
	module = "blaise.dev/blaise"
	root   = "../.."
)

// A source is one parsed Go file of the module.
type source struct {
	path string // slashes, from the root
	dir  string // "." for the root
	test bool
	file *ast.File
}

var fset = token.NewFileSet()

// tree parses the module once for all tests.
var tree = sync.OnceValues(func() ([]source, error) {
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skip(path, d.Name())
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		all = append(all, source{
			path: rel, dir: filepath.ToSlash(filepath.Dir(rel)),
			test: strings.HasSuffix(rel, "_test.go"), file: f,
		})
		return nil
	})
	return all, err
})

// skip leaves out what is not ours to judge.
func skip(path, name string) error {
	hidden := strings.HasPrefix(name, ".") && path != root
	if hidden || name == "testdata" || name == "bin" || name == "node_modules" {
		return filepath.SkipDir
	}
	return nil
}

func sources(t *testing.T) []source {
	t.Helper()
	all, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func line(pos token.Pos) int { return fset.Position(pos).Line }
