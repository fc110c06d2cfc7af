package plug_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(plugtest.TempDir(t), "work")
	write(t, filepath.Join(dir, "in.txt"), "inside\n")
	write(t, filepath.Join(dir, "..", "out.txt"), "outside\n")
	link(t, "/etc/passwd", filepath.Join(dir, "leak"))
	link(t, "../out.txt", filepath.Join(dir, "up"))
	link(t, "..", filepath.Join(dir, "upper"))
	link(t, "in.txt", filepath.Join(dir, "same"))
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := &plug.Local{Dir: dir}
	at := func(name string) string { return dir + "/" + name }

	for path, want := range map[string]error{
		at("leak"): plug.ErrOutside, at("up"): plug.ErrOutside, at("upper/out.txt"): plug.ErrOutside,
		at("../out.txt"): plug.ErrOutside, at("leak/../../out.txt"): plug.ErrOutside,
		"/etc/shadow": plug.ErrOutside, "/dev/zero": plug.ErrOutside, dir + "x": plug.ErrOutside,
		at("pipe"): plug.ErrNotAFile, dir: plug.ErrNotAFile, at("none"): fs.ErrNotExist,
	} {
		if _, err := plug.ReadFile(t.Context(), env, path, 100); !errors.Is(err, want) {
			t.Errorf("read %s: %v, want %v", path, err, want)
		}
		if want == fs.ErrNotExist {
			continue
		}
		if err := plug.WriteFile(t.Context(), env, path, []byte("x")); !errors.Is(err, want) {
			t.Errorf("write %s: %v, want %v", path, err, want)
		}
	}
	if got := read(t, filepath.Join(dir, "..", "out.txt")); got != "outside\n" {
		t.Errorf("a file outside says %q", got)
	}
	if _, err := plug.ReadFile(t.Context(), env, "in.txt", 100); err == nil {
		t.Error("a relative path was read")
	}
	if _, err := plug.ReadFile(t.Context(), env, at("in.txt"), 3); !errors.Is(err, plug.ErrTooLarge) {
		t.Errorf("large: %v", err)
	}
	for _, name := range []string{"in.txt", "same", "sub/../in.txt"} {
		if got, err := plug.ReadFile(t.Context(), env, at(name), 100); string(got) != "inside\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestFilesAreWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(plugtest.TempDir(t), "work")
	write(t, filepath.Join(dir, "run.sh"), "a long old text\n")
	if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := &plug.Local{Dir: dir}
	long := strings.Repeat("0123456789\n", 100_000)
	for name, text := range map[string]string{"a/b/c.txt": "deep\n", "run.sh": "new\n", "long": long} {
		if err := plug.WriteFile(t.Context(), env, filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(dir, name)); got != text {
			t.Errorf("%s has %d bytes", name, len(got))
		}
	}
	st, err := os.Stat(filepath.Join(dir, "run.sh"))
	if err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("the mode of a file changed: %v, %v", st.Mode(), err)
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}
