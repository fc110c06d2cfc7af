package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// Two copies of the sources in different places give the same programs, byte
// for byte: nothing of the place or of the moment is in them.
func TestBuildIsReproducible(t *testing.T) {
	t.Parallel()
	var built [][]byte
	for range 2 {
		from, to := t.TempDir(), t.TempDir()
		for _, name := range []string{"go.mod", "go.sum", "cmd/shim", "internal/shim"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("cp", "-R", filepath.Join("../..", name), filepath.Join(from, name)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		here := target{runtime.GOOS, runtime.GOARCH, "v1"}
		err := here.build(t.Context(), from, "./cmd/shim", filepath.Join(to, "shim"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(to, "shim"))
		if err != nil {
			t.Fatal(err)
		}
		built = append(built, b)
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("the programs differ")
	}
}

// What is written follows from the programs, the version and the time alone; the
// bill names what is in the programs, and SHA256SUMS has every file.
func TestReleaseIsWholeAndReproducible(t *testing.T) {
	t.Chdir("../..")
	built, from := t.TempDir(), t.TempDir()
	small := filepath.Join(built, "small") // any Go program will do; compressing is slow under the race detector
	here := target{runtime.GOOS, runtime.GOARCH, "v1"}
	for name, text := range map[string]string{"go.mod": "module small\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := here.build(t.Context(), from, ".", small); err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		if err := os.Symlink(small, filepath.Join(built, p.name)); err != nil {
			t.Fatal(err)
		}
	}
	var first map[string]string
	for range 2 {
		r := release{version: "v1.2.3", at: time.Unix(1e9, 0).UTC(), out: filepath.Join(t.TempDir(), "dist"), built: built}
		if err := r.check(); err != nil {
			t.Fatal(err)
		}
		if err := r.make(t.Context(), []string{"linux/amd64", "darwin/arm64"}); err != nil {
			t.Fatal(err)
		}
		now := contents(t, r.out)
		if first == nil {
			first = now
		}
		for name, content := range now {
			if content != first[name] {
				t.Errorf("%s is not the same twice", name)
			}
			if name != "SHA256SUMS" && !strings.Contains(now["SHA256SUMS"], hashOf([]byte(content))+"  "+name+"\n") {
				t.Errorf("SHA256SUMS is wrong about %s", name)
			}
		}
		if err := r.check(); err == nil {
			t.Error("a release was written over another")
		}
	}
	if len(first) != 6 {
		t.Errorf("%d files, want 2 archives, 2 bills, an image and the sums", len(first))
	}
	names := filesOf(t, first["blaise_v1.2.3_linux_amd64.tar.gz"])
	for _, want := range []string{"blaise", "runner", "blaise-shim", "LICENSE", "README.md"} {
		if !slices.Contains(names, "blaise_v1.2.3_linux_amd64/"+want) {
			t.Errorf("the archive has no %s: %q", want, names)
		}
	}
	checkBill(t, first["blaise_v1.2.3_darwin_arm64.cdx.json"])
}

func checkBill(t *testing.T, text string) {
	t.Helper()
	var b bill
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	std := "pkg:golang/std@v" + strings.TrimPrefix(runtime.Version(), "go")
	if b.Format != "CycloneDX" || len(b.Links) != len(programs) {
		t.Errorf("bill: %+v", b)
	}
	for _, l := range b.Links {
		for _, ref := range l.On {
			if !slices.ContainsFunc(b.Components, func(c component) bool { return c.Ref == ref }) {
				t.Errorf("%s is in %s, and not listed", ref, l.Ref)
			}
		}
		if !slices.Contains(l.On, std) {
			t.Errorf("%s has %q, want %s", l.Ref, l.On, std)
		}
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

func filesOf(t *testing.T, archive string) (names []string) {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}
