package plugtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blaise.dev/blaise/plug"
)

// hidesSecrets: what ps shows of any process holds no value, while a command
// has them, and the run knows each of them.
func hidesSecrets(t *testing.T, s Setup, w *World) {
	var known []string
	w.Options.Secret = func(value string) { known = append(known, value) }
	p, out := start(t, w.Open().Env(), "echo ready; sleep 300")
	out.wait(t, "ready")
	for _, value := range s.Secrets {
		if shown := Showing(value); len(shown) > 0 {
			t.Errorf("a secret is on a command line: %q", shown)
		}
		if !slices.ContainsFunc(known, func(k string) bool { return k == value || k == value+"\n" }) {
			t.Errorf("%q was not registered", value)
		}
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
	s.destroyed(t, w)
}

// followsNoLinks: a link that an agent makes is followed inside or not at all.
func followsNoLinks(t *testing.T, s Setup, w *World) {
	env := w.Open().Env()
	dir := env.Place().Dir
	outside := filepath.Join(TempDir(t), "outside")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("of the host"), 0o644); err != nil {
		t.Fatal(err)
	}
	Sh(t, env, "rm -rf link-of-test dir-of-test; ln -s "+secret+" link-of-test; ln -s "+outside+" dir-of-test")
	for _, name := range []string{"link-of-test", "dir-of-test/secret"} {
		got, err := plug.ReadFile(t.Context(), env, dir+"/"+name, 1<<20)
		if err == nil || !errors.Is(err, plug.ErrOutside) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read %s: got %q, %v", name, got, err)
		}
		if err := plug.WriteFile(t.Context(), env, dir+"/"+name, []byte("x")); err == nil {
			t.Errorf("wrote through %s", name)
		}
	}
	if _, err := w.Stack().Save(t.Context()); err != nil {
		t.Errorf("save: %v", err)
	}
	s.destroyed(t, w)
	if got, err := os.ReadFile(secret); err != nil || string(got) != "of the host" {
		t.Errorf("the file that a link led to: %q, %v", got, err)
	}
	if s.Keeps {
		for _, name := range []string{"link-of-test", "dir-of-test"} {
			_ = os.Remove(filepath.Join(dir, name)) // the test's own
		}
	}
}

// removesWhatWasWritten: directories without permissions and read-only files go
// with the environment.
func removesWhatWasWritten(t *testing.T, s Setup, w *World) {
	env := w.Open().Env()
	Sh(t, env, "mkdir -p shut-of-test/deep; echo x >shut-of-test/deep/file; chmod 400 shut-of-test/deep/file; chmod 500 shut-of-test/deep shut-of-test")
	dir := env.Place().Dir
	_, err := os.Lstat(dir)
	elsewhere := err != nil // the path means something inside only
	s.destroyed(t, w)
	if s.Keeps {
		_ = os.Chmod(filepath.Join(dir, "shut-of-test"), 0o700)
		_ = os.Chmod(filepath.Join(dir, "shut-of-test/deep"), 0o700)
		return
	}
	if _, err := os.Lstat(dir); err == nil && !elsewhere {
		t.Errorf("%s is still there", dir)
	}
}

// keepsHome: what is put into the home is there in the next run.
func keepsHome(t *testing.T, s Setup, w *World) {
	stack := w.Open()
	Sh(t, stack.Env(), `echo '#!/bin/sh' >"$HOME/tool-of-test"; echo 'echo works' >>"$HOME/tool-of-test"; chmod +x "$HOME/tool-of-test"`)
	if err := stack.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := Sh(t, w.Open().Env(), `"$HOME/tool-of-test"; rm "$HOME/tool-of-test"`); got != "works" {
		t.Errorf("what was installed says %q", got)
	}
	s.destroyed(t, w)
}
