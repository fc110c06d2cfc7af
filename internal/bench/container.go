package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"blaise.dev/blaise/plug"
)

// benchImage is what the tests import into their engine.
const benchImage = "blaise-test/busybox:1"

// containers opens the container plug beside docker create and start of the
// same image, with a volume each. Without an engine it has no rows.
func containers(ctx context.Context, o options) ([]row, error) {
	host := os.Getenv("BLAISE_TEST_DOCKER")
	if host == "" || docker(ctx, host, "image", "inspect", benchImage) != nil {
		fmt.Fprintln(os.Stderr, "no engine in BLAISE_TEST_DOCKER with the image", benchImage+": left out")
		return nil, nil
	}
	repo := filepath.Join(o.tmp, "contained")
	if err := os.MkdirAll(repo, 0o755); err != nil {
		return nil, err
	}
	var ours, floor []time.Duration
	for i := range o.times {
		took, err := bareContainer(ctx, host, repo, fmt.Sprintf("blaise-bench-%d-%d", os.Getpid(), i))
		if err != nil {
			return nil, err
		}
		floor = append(floor, took)
		if took, err = openContainer(ctx, o, host, repo, fmt.Sprintf("bench%dx%d", os.Getpid(), i)); err != nil {
			return nil, err
		}
		ours = append(ours, took)
	}
	return []row{{
		name: "container: open, beside docker create and start", unit: "ms",
		got: median(ours), floor: median(floor), limit: 1.2 * median(floor),
	}}, nil
}

func bareContainer(ctx context.Context, host, dir, name string) (took time.Duration, err error) {
	defer func() { _ = docker(ctx, host, "rm", "-fv", name) }()
	began := time.Now()
	err = docker(ctx, host, "create", "--name", name, "--network", "none", "--init=false",
		"-v", dir+":/workspace", "-v", "/home/agent", benchImage, "sleep", "1000")
	if err == nil {
		err = docker(ctx, host, "start", name)
	}
	return time.Since(began), err
}

func openContainer(ctx context.Context, o options, host, dir, session string) (time.Duration, error) {
	local := &plug.Local{Dir: o.tmp, Home: o.tmp, Program: filepath.Join(o.bin, "blaise"), Fence: &plug.Fence{}}
	specs := []plug.Spec{
		plug.NewSpec("local", "", map[string]any{"dir": dir}),
		plug.NewSpec("container", "box", map[string]any{"image": benchImage, "engine": host, "network": "none"}),
	}
	s, err := plug.NewStack(specs, plug.StackOptions{
		Session: session, Host: local, StateDir: filepath.Join(o.tmp, "state"),
	})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	err = s.Open(ctx)
	took := time.Since(began)
	if downErr := s.Destroy(context.WithoutCancel(ctx)); err == nil {
		err = downErr
	}
	return took, err
}

func docker(ctx context.Context, host string, args ...string) error {
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+host)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("docker %v: %w: %s", args, err, out)
	}
	return nil
}
