package plug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// shimInside is where the shim is in the sandbox.
func (r *remote) shimInside() string { return path.Join(r.state.Home, ".blaise/shim") }

// bringShim copies the shim in, in every run: it is of the runner's version.
func (r *remote) bringShim(ctx context.Context) error {
	file, err := findShim(r.c.Shim, r.s.Host.Place(), r.arch())
	if err != nil {
		return err
	}
	f, err := os.Open(file.path)
	if err != nil {
		return fmt.Errorf("read shim: %w", err)
	}
	defer f.Close()
	// Not over one that runs: beside it, and in its place.
	const script = `mkdir -p "${1%/*}" "$2" && cat >"$1.new" && chmod 755 "$1.new" && mv -f "$1.new" "$1"`
	if err := r.sh(ctx, f, nil, script, r.shimInside(), r.state.Dir); err != nil {
		return fmt.Errorf("copy shim: %w", err)
	}
	return nil
}

// sendCheckout copies the checkout in. Half a copy is made again.
func (r *remote) sendCheckout(ctx context.Context, dir string) error {
	in, w := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := packDir(w, dir, packing{prefix: "."})
		w.CloseWithError(err)
		packed <- err
	}()
	err := r.sh(ctx, in, nil, `cd "$1" && tar -xf -`, r.state.Dir)
	in.Close() // ends the packing, if nobody reads it any more
	if perr := <-packed; perr != nil && !errors.Is(perr, io.ErrClosedPipe) {
		err = errors.Join(perr, err)
	}
	if err != nil {
		return fmt.Errorf("copy checkout in: %w", err)
	}
	r.state.Whole, r.state.Outer = true, dir
	return r.s.State.Save(ctx, r.state)
}

// fetchCheckout makes the checkout here what the one in the sandbox is. Until
// it is whole here, the one from before stays.
func (r *remote) fetchCheckout(ctx context.Context) error {
	err := comeHome(r.s, r.state.Outer, func(root *os.Root) error { return r.unpack(ctx, root) })
	if err != nil {
		return fmt.Errorf("copy checkout out of sandbox %s: %w", r.state.ID, err)
	}
	return nil
}

func (r *remote) unpack(ctx context.Context, root *os.Root) error {
	out, w := io.Pipe()
	unpacked := make(chan error, 1)
	go func() {
		err := unpackDir(root, out)
		if err == nil {
			_, err = io.Copy(io.Discard, out) // the padding behind the end
		}
		out.CloseWithError(err)
		unpacked <- err
	}()
	args := []string{r.state.Dir}
	for _, name := range r.c.Exclude {
		args = append(args, "--exclude="+name)
	}
	err := r.sh(ctx, nil, w, `cd "$1" && shift && tar -cf - "$@" .`, args...)
	w.CloseWithError(err) // nil: the end
	return errors.Join(err, <-unpacked)
}
