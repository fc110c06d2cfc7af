package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A row is one promise: what was measured, the floor beside it, and the most
// it may be.
type row struct {
	name  string
	got   float64
	floor float64 // 0 where there is none
	limit float64
	unit  string
	least bool // the limit is a lower one
}

func (r row) kept() bool {
	if r.least {
		return r.got >= r.limit
	}
	return r.got <= r.limit
}

func kept(rows []row) bool {
	return !slices.ContainsFunc(rows, func(r row) bool { return !r.kept() })
}

func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| what | measured | floor | limit | |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		floor, sign, word := "", "at most", "kept"
		if r.floor != 0 {
			floor = fmt.Sprintf("%.1f %s", r.floor, r.unit)
		}
		if r.least {
			sign = "at least"
		}
		if !r.kept() {
			word = "**missed**"
		}
		fmt.Fprintf(&b, "| %s | %.1f %s | %s | %s %.1f %s | %s |\n",
			r.name, r.got, r.unit, floor, sign, r.limit, r.unit, word)
	}
	return b.String()
}

func page(table string) string {
	return "# Benchmarks\n\nWritten by `make bench` on " + time.Now().UTC().Format(time.DateOnly) +
		fmt.Sprintf(" with %d cores and %s. ", runtime.NumCPU(), runtime.Version()) +
		"A floor is what a minimal program took in the same run;\n" +
		"`make bench` exits 1 where a limit is missed.\n\n" + table
}

func median(d []time.Duration) float64 { return quantile(d, 0.5) }

// quantile answers in milliseconds.
func quantile(d []time.Duration, q float64) float64 {
	s := slices.Clone(d)
	slices.Sort(s)
	i := min(int(q*float64(len(s))), len(s)-1)
	return float64(s[i].Microseconds()) / 1000
}
