// Command bench measures what Blaise adds to the bare work of an agent, as
// ratios and distances against a floor measured in the same run, and exits 1
// where a promise is missed. `make bench` runs it and writes
// docs/benchmarks.md. It is no part of the product.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"blaise.dev/blaise/acp/acptest"
)

// A bench is one group of rows.
type bench struct {
	name string
	run  func(ctx context.Context, o options) ([]row, error)
}

// options are what the groups share.
type options struct {
	bin   string        // the directory of the built programs
	tmp   string        // a directory in memory, if the machine has one
	idle  time.Duration // how long idle processes are watched
	times int           // samples of a life
}

var benches = []bench{
	{"life", life},
	{"memory", memory},
	{"directives", directives},
	{"sweep", sweep},
	{"failure", failure},
	{"accepts", accepts},
	{"record", record},
	{"talk", talk},
	{"flood", flood},
	{"sandbox", sandboxes},
	{"redaction", redaction},
	{"container", containers},
	{"save", saves},
	{"terminal", terminal},
	{"pages", pages},
	{"viewers", viewers},
	{"lists", lists},
	{"lives", livesAtOnce},
}

func main() {
	acptest.Main() // a child of talk is an agent
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	var only, out string
	flag.StringVar(&o.bin, "bin", "bin", "the directory of the built programs")
	flag.DurationVar(&o.idle, "idle", 5*time.Minute, "how long idle processes are watched")
	flag.IntVar(&o.times, "times", 11, "samples of each life")
	flag.StringVar(&only, "only", "", "run the groups named, comma separated")
	flag.StringVar(&out, "out", "", "write the table to this file too")
	flag.Parse()
	ok, err := measure(ctx, o, only, out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if !ok {
		os.Exit(1)
	}
}

func measure(ctx context.Context, o options, only, out string) (bool, error) {
	tmp, err := os.MkdirTemp(memoryDir(), "blaise-bench-")
	if err != nil {
		return false, fmt.Errorf("make directory: %w", err)
	}
	defer os.RemoveAll(tmp)
	o.tmp = tmp
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return false, fmt.Errorf("find programs: %w", err)
	}
	var all []row
	for _, b := range benches {
		if only != "" && !strings.Contains(","+only+",", ","+b.name+",") {
			continue
		}
		fmt.Fprintln(os.Stderr, "measuring", b.name)
		rows, err := b.run(ctx, o)
		if err != nil {
			return false, fmt.Errorf("measure %s: %w", b.name, err)
		}
		all = append(all, rows...)
	}
	text := table(all)
	fmt.Print(text)
	if out != "" {
		if err := os.WriteFile(out, []byte(page(text)), 0o644); err != nil {
			return false, fmt.Errorf("write %s: %w", out, err)
		}
	}
	return kept(all), nil
}

// memoryDir is a file system in memory where there is one, so that the disk's
// moods do not count.
func memoryDir() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return ""
}
