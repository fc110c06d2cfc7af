package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// programs are what is built, and from what.
var programs = []struct{ name, from string }{
	{"blaise", "./cmd/blaise"},
	{"runner", "./cmd/runner"},
	{"blaise-shim", "./cmd/shim"},
}

// A target is what programs are built for, and as.
type target struct{ goos, goarch, version string }

// all builds the programs of a working copy into a folder.
func (t target) all(ctx context.Context, from, to string) error {
	for _, p := range programs {
		if err := t.build(ctx, from, p.from, filepath.Join(to, p.name)); err != nil {
			return err
		}
	}
	return nil
}

// build builds a program: static, and without anything of this machine in it.
// The version stands for the commit: what git would add says whether the working
// copy was clean, which is not the same everywhere.
func (t target) build(ctx context.Context, from, program, to string) error {
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+t.version, "-o", to, program)
	c.Dir = from
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.goos, "GOARCH="+t.goarch, "GOFLAGS=-mod=readonly",
		"GOAMD64=v1", "GOARM64=v8.0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", program, err, out)
	}
	return nil
}
