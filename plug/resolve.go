package plug

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
)

// A Found is where a path of a place leads: relative to its Dir if it is inside,
// else absolute.
type Found struct {
	Said string // as it was written, cleaned
	Real string // where links lead; "" if that cannot be told
}

// Resolve tells where paths lead in e. It looks there, by the shim: a link means
// what it means to who lives in e. What is not there leads to where it would be
// made. A path that is not absolute is below Place().Dir.
func Resolve(ctx context.Context, e Env, paths []string) ([]Found, error) {
	place := e.Place()
	found := make([]Found, len(paths))
	for i, p := range paths {
		found[i].Said = seenFrom(place.Dir, filepath.Clean(place.abs(p)))
	}
	var out bytes.Buffer
	err := serveFile(ctx, e, Cmd{
		Args: append([]string{place.Shim, "shim", "resolve", place.Dir}, paths...), Stdout: &out,
	})
	if err != nil {
		return found, fmt.Errorf("resolve %q: %w", paths, err)
	}
	var real []string
	if err := json.Unmarshal(out.Bytes(), &real); err != nil || len(real) != len(paths)+1 || real[0] == "" {
		return found, fmt.Errorf("resolve %q: the shim says %q", paths, out.String())
	}
	for i, p := range real[1:] {
		if p != "" {
			found[i].Real = seenFrom(real[0], p)
		}
	}
	return found, nil
}

// seenFrom is path relative to dir if it is inside.
func seenFrom(dir, path string) string {
	if name, inside := below(dir, path); inside {
		return name
	}
	return path
}
