package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"blaise.dev/blaise/internal/near"

	"gopkg.in/yaml.v3"
)

// A checker walks the nodes of one file and gathers what is wrong.
type checker struct {
	file     string
	problems Problems
}

func (c *checker) problem(n *yaml.Node, format string, args ...any) {
	c.at(n.Line, n.Column, fmt.Sprintf(format, args...))
}

func (c *checker) at(line, column int, text string) {
	c.problems = append(c.problems, Problem{File: c.file, Line: line, Column: column, Text: text})
}

// known says that something was found at that place already: a time that does
// not belong here is an unknown key, too, and the first is more telling.
func (c *checker) known(line, column int) bool {
	return slices.ContainsFunc(c.problems, func(p Problem) bool {
		return p.Line == line && p.Column == column
	})
}

// root parses data into its one mapping, nil if it is none.
func (c *checker) root(data []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) || err == nil && doc.Content[0].Tag == "!!null" {
		c.at(1, 1, "the file is empty: begin with version: 1 (blaise.yml.example shows all)")
		return nil
	}
	if err != nil {
		c.syntax(data, err)
		return nil
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		c.problem(&more, "a second document begins here: one file holds one")
	case !errors.Is(err, io.EOF):
		c.syntax(data, err)
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		c.problem(doc.Content[0], "want keys and values, got %s", kindOf(doc.Content[0]))
		return nil
	}
	return doc.Content[0]
}

var (
	lineOf = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)`)
	// yaml.v3 counts lines from 0 in these errors, and from 1 in all others.
	fromZero = regexp.MustCompile(`^did not find expected (node content|',' or |'-' indicator|key|<)`)
)

// syntax notes a mistake in the YAML itself. The parser tells the line; the
// column is where that line begins.
func (c *checker) syntax(data []byte, err error) {
	found := lineOf.FindStringSubmatch(err.Error())
	if found == nil {
		c.at(1, 1, err.Error())
		return
	}
	line, _ := strconv.Atoi(found[1])
	if line == 0 || fromZero.MatchString(found[2]) {
		line++
	}
	lines := strings.Split(string(data), "\n")
	line = min(line, len(lines))
	text := lines[line-1]
	column := len(text) - len(strings.TrimLeft(text, " \t")) + 1
	hint := ""
	if strings.Contains(text, "\t") {
		hint = " (YAML does not take tabs: use spaces)"
	}
	c.at(line, column, "this is not YAML: "+found[2]+hint)
}

// fields calls each for every key of a mapping that is known, and notes those
// that are not, or stand twice. where names the mapping in errors.
func (c *checker) fields(
	n *yaml.Node, where string, known []string, each func(key string, value *yaml.Node),
) {
	c.pairs(n, where, func(key, value *yaml.Node) {
		if slices.Contains(known, key.Value) {
			each(key.Value, value)
			return
		}
		if c.known(key.Line, key.Column) {
			return
		}
		c.problem(key, "unknown key %q%s%s", key.Value, in(where), c.advice(key.Value, known))
	})
}

func (c *checker) advice(key string, known []string) string {
	if meant := near.DidYouMean(key, known); meant != "" {
		return meant
	}
	return ": known keys are " + strings.Join(known, ", ")
}

// pairs calls each for every key and value of a mapping, values resolved.
func (c *checker) pairs(n *yaml.Node, where string, each func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		c.problem(n, "%s: want keys and values, got %s", where, kindOf(n))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolve(n.Content[i+1])
		if line, twice := seen[key.Value]; twice {
			c.problem(key, "key %q stands here twice; first in line %d", key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		each(key, value)
	}
}

func (c *checker) str(n *yaml.Node, where string) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		hint := ""
		if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
			hint = fmt.Sprintf(": write %q in quotes", n.Value)
		}
		c.problem(n, "%s: want a text, got %s%s", where, kindOf(n), hint)
		return ""
	}
	return n.Value
}

func (c *checker) boolean(n *yaml.Node, where string) bool {
	var v bool
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Decode(&v) != nil {
		c.problem(n, "%s: want true or false, got %s", where, kindOf(n))
	}
	return v
}

func (c *checker) number(n *yaml.Node, where string) (int, bool) {
	var v int
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || n.Decode(&v) != nil {
		c.problem(n, "%s: want a whole number, got %s", where, kindOf(n))
		return 0, false
	}
	return v, true
}

func (c *checker) list(n *yaml.Node, where, example string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		c.problem(n, "%s: want a list, such as %s, got %s", where, example, kindOf(n))
		return nil
	}
	return n.Content
}

func in(where string) string {
	if where == "" {
		return ""
	}
	return " in " + where
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return n.Value
	case "!!timestamp":
		return "the date " + n.Value
	}
	return fmt.Sprintf("the text %q", n.Value)
}

func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
