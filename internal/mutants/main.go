// Command mutants takes out of the product, one at a time, the lines that its
// requirements stand on, and runs for each the test that must fail then. `make
// mutants` runs it; it exits 1 where a test does not notice. The lines are in
// table*.go, docs/mutants.md lists them. It is no part of the product.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	only := flag.String("only", "", "the numbers to do, comma separated, as in A19,X2")
	flag.Parse()
	all, err := chosen(*only)
	if err == nil {
		err = do(ctx, os.Stdout, all)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// chosen are the mutants of the numbers named, all of them for "".
func chosen(only string) ([]mutant, error) {
	if only == "" {
		return table(), nil
	}
	var all []mutant
	for number := range strings.SplitSeq(only, ",") {
		before := len(all)
		for _, m := range table() {
			if m.number == number {
				all = append(all, m)
			}
		}
		if len(all) == before {
			return nil, fmt.Errorf("nothing is taken out for %q: docs/mutants.md has the numbers", number)
		}
	}
	return all, nil
}

// do judges the mutants and prints what became of each. The error says how many
// were not noticed.
func do(ctx context.Context, out io.Writer, all []mutant) error {
	dir, err := os.MkdirTemp("", "blaise-mutants-")
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	fmt.Fprintf(out, "%d tests, as things are:\n", len(testsOf(all)))
	if err := whole(ctx, all); err != nil {
		return err
	}
	fmt.Fprintf(out, "all pass (%s)\n", since(began))
	bad := 0
	for _, m := range all {
		began := time.Now()
		v := m.judge(ctx, dir)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !v.good {
			bad++
		}
		w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
		fmt.Fprintf(w, "%-4s\t%-8s\t%s\t%s\n", m.number, v.word, m.place(), m.test)
		_ = w.Flush() // out is a terminal or a file
		fmt.Fprintf(out, "     %s; %s\n     %s\n", m.holds, since(began), v.said)
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d lines are proved by no test", bad, len(all))
	}
	fmt.Fprintf(out, "%d lines taken out, each noticed\n", len(all))
	return nil
}

func since(t time.Time) time.Duration { return time.Since(t).Round(100 * time.Millisecond) }

// testsOf lists the tests of the mutants, each once.
func testsOf(all []mutant) []string {
	var tests []string
	for _, m := range all {
		if !slices.Contains(tests, m.test) {
			tests = append(tests, m.test)
		}
	}
	return tests
}
