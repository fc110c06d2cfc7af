package plug_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"blaise.dev/blaise/internal/engine"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// needEngine answers an engine with the image busyboxImage, or skips.
func needEngine(t testing.TB) string {
	t.Helper()
	host := os.Getenv("BLAISE_TEST_DOCKER")
	if host == "" {
		t.Skip("BLAISE_TEST_DOCKER names no engine")
	}
	if err := importOnce(); err != nil {
		t.Fatal(err)
	}
	return host
}

const busyboxImage = "blaise-test/busybox:1"

// importOnce makes an image without a registry.
var importOnce = sync.OnceValue(func() error {
	if _, err := docker("image", "inspect", busyboxImage); err == nil {
		return nil
	}
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		return fmt.Errorf("no busybox to make an image of: %w", err)
	}
	program, err := os.ReadFile(busybox)
	if err != nil {
		return err
	}
	list, err := exec.Command(busybox, "--list").Output()
	if err != nil {
		return err
	}
	var image bytes.Buffer
	t := tar.NewWriter(&image)
	file := func(name, text string, mode int64) {
		_ = t.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(text))})
		_, _ = t.Write([]byte(text))
	}
	_ = t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777})
	file("bin/busybox", string(program), 0o755)
	file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n", 0o644)
	for name := range strings.FieldsSeq(string(list)) {
		if name != "busybox" {
			_ = t.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "bin/" + name, Linkname: "busybox"})
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	cmd := exec.Command("docker", "import", "-c", "ENV PATH=/bin", "-", busyboxImage)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+os.Getenv("BLAISE_TEST_DOCKER"))
	cmd.Stdin = &image
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("import image: %w: %s", err, out)
	}
	return nil
})

func docker(args ...string) (string, error) {
	cmd := exec.Command("docker", args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+os.Getenv("BLAISE_TEST_DOCKER"))
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func mustDocker(t testing.TB, args ...string) string {
	t.Helper()
	out, err := docker(args...)
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// containerSpec is a container of the test image.
func containerSpec(t testing.TB, keys map[string]any) plug.Spec {
	t.Helper()
	shim := plugtest.Shim(t)
	all := map[string]any{"image": busyboxImage, "engine": needEngine(t), "shim": shim, "network": "none"}
	for k, v := range keys {
		all[k] = v
	}
	for k, v := range all {
		if v == nil {
			delete(all, k)
		}
	}
	return plug.NewSpec("container", "box", all)
}

func containerSetup(t *testing.T, keys map[string]any) plugtest.Setup {
	spec := containerSpec(t, keys)
	repo := newRepo(t)
	before := treeOf(t, repo)
	return plugtest.Setup{
		Spec: spec, Outer: []plug.Spec{plug.NewSpec("worktree", "src", nil)}, Host: host(t, repo),
		Break: func(t *testing.T, env plug.Env) {
			mustDocker(t, "rm", "-f", "blaise-"+environmentOf(t, env)+"-box")
		},
		Left: func(t *testing.T) []string {
			if now := treeOf(t, repo); now != before {
				t.Errorf("the source repository changed:\n%s\n%s", before, now)
			}
			return nil
		},
	}
}

// environmentOf reads the environment's name where nobody else tells it.
func environmentOf(t *testing.T, env plug.Env) string {
	t.Helper()
	return strings.TrimPrefix(plugtest.Sh(t, env, "sed -n 's#^ref: refs/heads/##p' .git/HEAD"), "blaise/")
}

// treeOf lists the hooks and the configuration of a repository: what an agent
// would write to get out.
func treeOf(t *testing.T, repo string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", "cd "+repo+"/.git && ls hooks && cat config").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestContainer(t *testing.T) {
	t.Parallel()
	needEngine(t)
	plugtest.Run(t, func(t *testing.T) plugtest.Setup { return containerSetup(t, nil) })
}

func TestContainerReadOnlyAndForeign(t *testing.T) {
	t.Parallel()
	needEngine(t)
	plugtest.Run(t, func(t *testing.T) plugtest.Setup {
		user := "node"
		if rootless(t) {
			user = "0:0"
		}
		return containerSetup(t, map[string]any{"readOnly": true, "user": user, "capDrop": []string{"ALL"}})
	})
}

// rootless says that the engine's root is the user that runs it.
func rootless(t *testing.T) bool {
	t.Helper()
	e, err := engine.Dial(t.Context(), os.Getenv("BLAISE_TEST_DOCKER"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.Rootless
}

// Who is not root inside of a rootless engine could write nothing: that is said.
func TestContainerOfAnotherOnARootlessEngine(t *testing.T) {
	t.Parallel()
	needEngine(t)
	if !rootless(t) {
		t.Skip("the engine is root's")
	}
	w := containerWorld(t, map[string]any{"user": "node"})
	err := w.Stack().Open(t.Context())
	if err == nil || !strings.Contains(err.Error(), "leave user out") {
		t.Errorf("got %v", err)
	}
	destroy(t, w)
}

func TestContainerVolume(t *testing.T) {
	t.Parallel()
	needEngine(t)
	plugtest.Run(t, func(t *testing.T) plugtest.Setup {
		return containerSetup(t, map[string]any{"remote": true})
	})
}

// A checkout in a volume belongs to who works inside, the directory itself too,
// whoever that is and however it got there.
func TestContainerVolumeIsOfWhoWorksInside(t *testing.T) {
	t.Parallel()
	needEngine(t)
	for name, keys := range map[string]map[string]any{
		"by name":    {"user": "node"},
		"by number":  {"user": "1000:1000"},
		"in a cage":  {"user": "node", "readOnly": true, "capDrop": []string{"ALL"}},
		"far inside": {"user": "node", "workdir": "/deep/in/work"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys["remote"] = true
			s := containerSetup(t, keys)
			w := plugtest.NewWorld(t, s.Host, append(s.Outer, s.Spec)...)
			if got := plugtest.Sh(t, w.Open().Env(), "touch new && mkdir made && mv sub moved && rm a.txt && stat -c %u:%g . moved"); got != "1000:1000\n1000:1000" {
				t.Errorf("it is of %q", got)
			}
			destroy(t, w)
		})
	}
}
