package main

import (
	"fmt"
	"strings"
)

// page is docs/mutants.md.
func page() string {
	var b strings.Builder
	b.WriteString(`# The lines that requirements stand on

<!-- Generated from internal/mutants/table*.go: go test ./internal/mutants -update -->

A requirement is met when a test fails without the line that meets it. Each line below is taken out
of the product, or replaced, and the test beside it fails: ` + "`make mutants`" + ` does it again, with the
numbers named in ` + "`ONLY=A19,X2`" + ` or with all. It changes no file: the go command gets the text without
the line as an overlay. ` + "`make test`" + ` only looks that every line stands where this page says.

| number | what holds | test that fails | line taken out |
|---|---|---|---|
`)
	for _, m := range table() {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s`: %s |\n", m.number, m.holds, testOf(m), m.file, change(m))
	}
	return b.String()
}

func testOf(m mutant) string {
	pkg, name, _ := strings.Cut(m.test, " ")
	if pkg == "." {
		pkg = "root"
	} else {
		pkg = "`" + pkg + "`"
	}
	return pkg + " " + name
}

// change is the line, and what stands in its place.
func change(m mutant) string {
	if m.by = strings.TrimSpace(m.by); m.by == "" || m.by == "}" {
		return code(m.line)
	}
	return code(m.line) + " made " + code(m.by)
}

// code is text for a cell of a table, on one line.
func code(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return "``" + strings.ReplaceAll(text, "|", `\|`) + "``"
}
