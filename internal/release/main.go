// Command release makes what is given to users: for each platform an archive of
// the programs and the list of what is built into them (CycloneDX), and
// SHA256SUMS over all. `make release` runs it. Two runs on one commit make the
// same bytes, wherever they are made. It is no part of the product.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var r release
	var platforms string
	flag.StringVar(&r.version, "version", "", "what the programs say of themselves")
	flag.StringVar(&r.out, "out", "dist", "the new `folder` to write to")
	flag.StringVar(&platforms, "platforms", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64", "GOOS/GOARCH, comma separated")
	flag.StringVar(&r.built, "built", "", "a `folder` with the programs, which are built otherwise")
	at := flag.Int64("at", 0, "the time of all files, in `seconds` since 1970: that of the commit")
	flag.Parse()
	r.at = time.Unix(*at, 0).UTC()
	err := r.check()
	if err == nil {
		err = r.make(ctx, strings.Split(platforms, ","))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// A release is all that is made of one commit.
type release struct {
	version string
	at      time.Time
	out     string
	built   string          // where the programs are; "" to build them
	sums    strings.Builder // a line for each file so far
}

func (r *release) check() error {
	if r.version == "" {
		return fmt.Errorf("read flags: -version is missing")
	}
	if there, _ := os.ReadDir(r.out); len(there) > 0 { // not there is as good as empty
		return fmt.Errorf("write to %s: it is not empty", r.out)
	}
	return os.MkdirAll(r.out, 0o755)
}

func (r *release) make(ctx context.Context, platforms []string) error {
	for _, p := range platforms {
		if err := r.platform(ctx, p); err != nil {
			return fmt.Errorf("make %s: %w", p, err)
		}
		fmt.Println("made", p)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(r.sums.String()), 0o644)
}

// platform builds the programs for one platform and writes its files.
func (r *release) platform(ctx context.Context, p string) error {
	goos, goarch, ok := strings.Cut(p, "/")
	if !ok {
		return fmt.Errorf("read platform: want GOOS/GOARCH")
	}
	work := r.built
	if work == "" {
		var err error
		if work, err = os.MkdirTemp("", "blaise-release-*"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
		if err := (target{goos, goarch, r.version}).all(ctx, ".", work); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("blaise_%s_%s_%s", r.version, goos, goarch)
	bill, err := r.bill(work, goos, goarch)
	if err != nil {
		return err
	}
	if err := r.write(name+".cdx.json", bill); err != nil {
		return err
	}
	archive, err := r.archive(work, name)
	if err != nil {
		return err
	}
	if err := r.write(name+".tar.gz", archive); err != nil || goos != "linux" {
		return err
	}
	image, err := r.image(work, goarch)
	if err != nil {
		return err
	}
	return r.write(name+".image.tar.gz", image)
}

// write writes a file, and its hash as `sha256sum --check` reads it.
func (r *release) write(name string, content []byte) error {
	fmt.Fprintf(&r.sums, "%s  %s\n", hashOf(content), name)
	return os.WriteFile(filepath.Join(r.out, name), content, 0o644)
}
