// Command chaos drives the built programs through many lives of sessions while
// it kills, stops and cuts off what they are made of, and looks from outside
// whether what README promises holds: at /proc, at the files, at git, at what
// the agent saw, never at the product's own inventory. `make chaos` runs it, a
// short form is a test. docs/chaos.md tells what it does. It is no part of the
// product.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// options of one go.
type options struct {
	lives  int
	first  int // the number of the first life
	atOnce int
	seed   uint64
	faults map[faultKind]bool
	every  time.Duration // about how often a daemon or the control plane is killed
	limit  time.Duration // no new life begins after it
	odds   float64       // of a fault on the wire, per request
	keep   bool          // the directory stays
	store  string        // of the control plane: sqlite, postgres
	bin    string        // the built programs; "" builds them
	out    func(format string, args ...any)
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		fmt.Fprintln(os.Stderr, "chaos:", becomeAgent(os.Args[2:]))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(2)
	}
	f, err := chaos(ctx, o)
	fmt.Print(f.table())
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
	}
	if err != nil || f.violated() > 0 {
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	o := options{out: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }}
	fs := flag.NewFlagSet("chaos", flag.ExitOnError)
	var faults string
	fs.IntVar(&o.lives, "lives", 100, "how many sessions are begun")
	fs.IntVar(&o.first, "first", 1, "the number of the first: with -lives 1 the one that failed, again")
	fs.IntVar(&o.atOnce, "at-once", 4*runtime.NumCPU(), "how many at a time")
	fs.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()%1e6), "what decides the scripts and the faults")
	fs.StringVar(&faults, "faults", "", "only these, comma separated: "+allFaults()+"; none for none")
	fs.DurationVar(&o.every, "every", 4*time.Second, "about how often a daemon or the control plane is killed")
	fs.DurationVar(&o.limit, "for", time.Hour, "no session is begun after this time")
	fs.Float64Var(&o.odds, "odds", 0.02, "of a fault on the wire, per request")
	fs.BoolVar(&o.keep, "keep", false, "keep the directory with data, state and logs")
	fs.StringVar(&o.store, "store", storeSQLite, "of the control plane: sqlite or postgres, which must be installed")
	fs.StringVar(&o.bin, "bin", "", "a directory with blaise, runner and chaos; default: build them")
	err := fs.Parse(args)
	if o.store != storeSQLite && o.store != storePostgres {
		return o, fmt.Errorf("-store: %q is neither sqlite nor postgres", o.store)
	}
	o.faults = map[faultKind]bool{}
	for _, k := range faultKinds {
		o.faults[k] = faults == ""
	}
	for name := range strings.SplitSeq(faults, ",") {
		if _, ok := o.faults[faultKind(name)]; name != "" && name != "none" && !ok {
			return o, fmt.Errorf("-faults: %q is none of %s", name, allFaults())
		}
		if name != "" && name != "none" {
			o.faults[faultKind(name)] = true
		}
	}
	return o, err
}

func allFaults() string {
	var all []string
	for _, k := range faultKinds {
		all = append(all, string(k))
	}
	return strings.Join(all, ",")
}
