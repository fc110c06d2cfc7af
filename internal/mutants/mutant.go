package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A mutant is a line of the product that a requirement stands on, and the test
// that fails without it.
type mutant struct {
	number string // in docs/requirements.md
	holds  string // what is so because of the line
	file   string
	line   string // stands in the file once
	by     string // what stands there instead: "" takes it out
	test   string // "PACKAGE TestName", the package as a directory
}

// root is the module, seen from here or from where `make` runs.
var root = func() string {
	if _, err := os.Stat("go.mod"); err == nil {
		return "."
	}
	return filepath.Join("..", "..")
}()

// source is the file as it is.
func (m mutant) source() (string, error) {
	b, err := os.ReadFile(filepath.Join(root, m.file))
	return string(b), err
}

// mutated is the file without the line.
func (m mutant) mutated() (string, error) {
	text, err := m.source()
	if err != nil {
		return "", err
	}
	if n := strings.Count(text, m.line); n != 1 {
		return "", fmt.Errorf("%s: %s: the line stands in %s %d times, want once:\n%s", m.number, m.holds, m.file, n, m.line)
	}
	return strings.Replace(text, m.line, m.by, 1), nil
}

// place is the file and the number of the line.
func (m mutant) place() string {
	text, _ := m.source() // "" is line 1
	before, _, _ := strings.Cut(text, m.line)
	return fmt.Sprintf("%s:%d", m.file, strings.Count(before, "\n")+1)
}

// overlay writes, for the go command, that the mutated text stands in the place
// of the file: the tree itself is not touched. It answers the path of that.
func (m mutant) overlay(dir string) (string, error) {
	text, err := m.mutated()
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	copied := filepath.Join(dir, "mutated"+filepath.Ext(m.file))
	if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {file: copied}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}
