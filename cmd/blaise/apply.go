package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"

	"github.com/spf13/cobra"
)

func applyCommand(a *app) *cobra.Command {
	var file string
	var dry bool
	c := a.jsonFlag(&cobra.Command{
		Use: "apply -f FILE", Short: "Make or change agents from their manifests",
		Long: "Makes or changes an agent, or several: the documents of a file, parted by ---, are applied in\n" +
			"order once all are found good, and --json prints an object for each. Unknown keys are refused.\n" +
			"A changed policy holds for the next idle session, with no runner restarted. agent.yml.example,\n" +
			"beside the README, has every key with its default and meaning. The least:\n\n" +
			"  apiVersion: blaise.dev/v1\n  kind: Agent\n  metadata: {name: coder}\n  spec: {}",
		Example: "  blaise apply -f agent.yml\n  blaise apply -f agent.yml --dry-run",
		Args:    noArgs,
		RunE: a.asks(func(ctx context.Context, c *api.Client, _ []string) error {
			return a.apply(ctx, c, file, dry)
		}),
	})
	c.Flags().StringVarP(&file, "file", "f", "", "the manifest, - for stdin")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would happen")
	return c
}

// A document is one manifest of the file that apply was given.
type document struct {
	text  []byte
	place string // of the document among others, as errors name it
}

// documentsIn are the documents of a file, in order. One that says nothing is
// none. Each keeps its lines: Blaise names them in what is wrong with it.
func documentsIn(file []byte) []document {
	var all []document
	begin, says := 0, false
	lines := bytes.SplitAfter(file, []byte("\n"))
	end := func(i int) {
		if says {
			text := append(bytes.Repeat([]byte("\n"), begin), bytes.Join(lines[begin:i], nil)...)
			all = append(all, document{text: text})
		}
		begin, says = i, false
	}
	for i, line := range lines {
		text := strings.TrimRight(string(line), " \t\r\n")
		if rest, ok := afterMark(text); ok {
			end(i)
			text = rest
		}
		says = says || isContent(text)
	}
	if end(len(lines)); len(all) == 0 {
		all = []document{{text: file}} // Blaise says what is missing
	}
	for i := range all {
		if len(all) > 1 {
			all[i].place = fmt.Sprintf("document %d of %d: ", i+1, len(all))
		}
	}
	return all
}

// afterMark is what stands behind the mark that begins a document, if the line
// begins with one. Such a line is one in a quoted text as well.
func afterMark(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "---")
	return strings.TrimLeft(rest, " \t"), ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// isContent says that a line is more than a comment, a directive or an end.
func isContent(line string) bool {
	comment := strings.HasPrefix(strings.TrimLeft(line, " \t"), "#")
	return line != "" && line != "..." && line[0] != '%' && !comment
}

// apply makes or changes the agent of every manifest in a file, in order, once
// Blaise has found all of them good.
func (a *app) apply(ctx context.Context, c *api.Client, file string, dry bool) error {
	text, err := a.readManifest(file)
	if err != nil {
		return err
	}
	all := documentsIn(text)
	if len(all) > 1 && !dry {
		for _, d := range all {
			if _, err := c.ApplyAgent(ctx, d.text, true); err != nil {
				fmt.Fprintf(a.err, "of the %d documents none is applied\n", len(all))
				return d.inFile(file, err)
			}
		}
	}
	for _, d := range all {
		x, err := c.ApplyAgent(ctx, d.text, dry)
		if err != nil {
			return d.inFile(file, err)
		}
		if err := a.applied(x); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) readManifest(file string) ([]byte, error) {
	switch file {
	case "":
		return nil, usage("no manifest is named").WithHint("blaise apply -f agent.yml")
	case "-":
		return io.ReadAll(a.in)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("%s", err)
	}
	return b, nil
}

// inFile puts the place of the manifest into what is wrong with it.
func (d document) inFile(file string, err error) error {
	var e *blaise.Error
	if !errors.As(err, &e) || e.Code != blaise.CodeInvalid || !strings.HasPrefix(e.Message, "read manifest: ") {
		return fmt.Errorf("%s%w", d.place, err)
	}
	if file == "-" {
		file = "stdin"
	}
	lines := strings.Split(strings.TrimPrefix(e.Message, "read manifest: "), "\n")
	for i, l := range lines {
		lines[i] = file + ": " + d.place + l
	}
	hint := e.Hint
	if hint == "" {
		hint = "agent.yml.example has every key; see `blaise apply --help`"
	}
	return usage("%s", strings.Join(lines, "\n")).WithHint("%s", hint)
}

func (a *app) applied(x api.Applied) error {
	if a.json {
		return printJSON(a.out, x)
	}
	would := ""
	if x.DryRun {
		would = " (dry run: nothing was changed)"
	}
	fmt.Fprintf(a.out, "agent %s: %s, revision %d%s\n", x.Name, x.Result, x.Revision, would)
	for _, e := range x.Effects {
		fmt.Fprintf(a.out, "  %s\n", harmless(e))
	}
	return nil
}
