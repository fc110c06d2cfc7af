package plug

import (
	"context"
	"io"
	"maps"
	"slices"
)

// A containerEnv is the inside of a container. Each command is an exec of the
// shim in it, which carries all else over its stdin and stdout.
type containerEnv struct {
	place Place
	in    *reached
}

var _ Env = containerEnv{}

func (b *containerBuilder) env(outer Env) (Env, error) {
	in, err := newReached(b.s, func(ctx context.Context, args ...string) (io.ReadWriteCloser, error) {
		return b.e.Exec(ctx, b.name, "", append([]string{b.shim.inside}, args...))
	})
	if err != nil {
		return nil, err
	}
	place := outer.Place()
	place.Dir, place.Home, place.Shim = b.p.c.Workdir, b.p.c.Home, b.shim.inside
	place.OS, place.Arch = "linux", b.e.Arch
	place.Env = mergeEnv(place.Env, keysAndValues(b.p.c.Env))
	return containerEnv{place: place, in: in}, nil
}

func (e containerEnv) Place() Place { return e.place }

func (e containerEnv) Start(ctx context.Context, c Cmd) (Process, error) {
	return e.in.start(ctx, e.place, c)
}

// keysAndValues is a mapping as a list, in one order.
func keysAndValues(m map[string]string) []string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, k+"="+m[k])
	}
	return list
}
