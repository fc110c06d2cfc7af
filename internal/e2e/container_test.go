package e2e_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"blaise.dev/blaise"
)

// An engineOf is a Docker Engine with an image in it that was made without a
// registry: busybox, and the built blaise as the demo agent.
type engineOf struct{ host string }

const demoImage = "blaise-test/demo:1"

func (e engineOf) docker(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command("docker", args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+e.host)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// imported makes the image; the tests of one engine share it.
func (e engineOf) imported(t testing.TB) {
	t.Helper()
	image, err := demoTar()
	if err != nil {
		t.Fatal(err)
	}
	e.imports(t, demoImage, image)
}

func (e engineOf) imports(t testing.TB, name string, image []byte) {
	t.Helper()
	cmd := exec.Command("docker", "import", "-c", "ENV PATH=/bin", "-", name)
	cmd.Env, cmd.Stdin = append(os.Environ(), "DOCKER_HOST="+e.host), bytes.NewReader(image)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("import image: %v\n%s", err, out)
	}
}

var demoTar = sync.OnceValues(func() ([]byte, error) {
	return imageTar(map[string]string{"bin/blaise": filepath.Join(programs, "blaise")})
})

// imageTar is busybox with more files, which are of this machine.
func imageTar(files map[string]string) ([]byte, error) {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		return nil, err
	}
	list, err := exec.Command(busybox, "--list").Output()
	if err != nil {
		return nil, err
	}
	files["bin/busybox"] = busybox
	var image bytes.Buffer
	t := tar.NewWriter(&image)
	_ = t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777})
	for name, path := range files {
		program, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		_ = t.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(program))})
		_, _ = t.Write(program)
	}
	for name := range strings.FieldsSeq(string(list)) {
		if name != "busybox" {
			_ = t.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "bin/" + name, Linkname: "busybox"})
		}
	}
	return image.Bytes(), t.Close()
}

func newContainerLab(t *testing.T, host string, keys map[string]any) (lab, engineOf) {
	t.Helper()
	e := engineOf{host}
	e.imported(t)
	box := map[string]any{"use": "container", "id": "box", "image": demoImage, "engine": host, "network": "none"}
	for k, v := range keys {
		box[k] = v
	}
	config, _ := json.Marshal(map[string]any{ // JSON is YAML; plain values always marshal
		"version": 1,
		"agent":   map[string]any{"command": []string{"blaise", "demo-agent"}, "fs": true, "terminal": true},
		"plugs":   []any{map[string]any{"use": "worktree", "id": "src", "repo": "."}, box},
	})
	return lab{startSplit(t, string(config))}, e
}

// sharedHost is the engine that `make test-all` starts.
func sharedHost(t *testing.T) string {
	t.Helper()
	host := os.Getenv("BLAISE_TEST_DOCKER")
	if host == "" {
		t.Skip("BLAISE_TEST_DOCKER names no engine")
	}
	return host
}

func (e engineOf) of(t testing.TB, id blaise.SessionID) string {
	t.Helper()
	filter := "label=dev.blaise.session=" + string(id)
	return e.docker(t, "ps", "-a", "--filter", filter, "--format", "{{.State}}") +
		" " + strings.ReplaceAll(e.docker(t, "volume", "ls", "-q", "--filter", filter), "\n", " ")
}

// One life in a container: what is written in the checkout, in the home and in
// the rest of it is there after a pause, the agent remembers, files and
// terminals that it asks for are those inside, and nothing is left (A3, A12).
func TestContainerLife(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]map[string]any{
		"mounted": nil, "volume": {"remote": true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, e := newContainerLab(t, sharedHost(t), keys)
			id := b.start("write kept.txt it stays")
			b.state(id, blaise.SessionParked)
			b.run("approve", string(id))
			b.answered(id, 1)
			b.says2(id, 2, "fswrite by-client.txt through the run", "")
			b.says2(id, 3, "fsread by-client.txt", "through the run")
			b.say(id, "term echo installed >/usr.txt; echo at home >~/home.txt; pwd")
			b.answered(id, 4)
			b.says(id, "/workspace")

			b.run("pause", string(id))
			b.environment(id, blaise.EnvPaused)
			if got := e.of(t, id); !strings.HasPrefix(got, "exited ") {
				t.Errorf("paused, the engine has: %s", got)
			}
			if saved := b.saved(id); len(saved) == 0 {
				t.Error("nothing was saved at the pause")
			}
			b.says2(id, 5, "read kept.txt", "it stays")
			b.say(id, "term cat /usr.txt ~/home.txt")
			b.answered(id, 6)
			b.says(id, "installed")
			b.says(id, "at home")
			b.says2(id, 7, "recall", "write kept.txt it stays")

			b.run("end", string(id))
			b.environment(id, blaise.EnvDestroyed)
			if got := e.of(t, id); strings.TrimSpace(got) != "" {
				t.Errorf("left on the engine: %s", got)
			}
			tip := b.exec("git", "show", "refs/blaise/"+string(id)+"/1:kept.txt")
			if !strings.Contains(tip, "it stays") {
				t.Errorf("the saved work has %q", tip)
			}
		})
	}
}

// says2 says the nth message and wants words in its answer.
func (b lab) says2(id blaise.SessionID, n int, text, words string) {
	b.t.Helper()
	b.say(id, text)
	b.answered(id, n)
	if got := b.show(id).Messages[n-1].Answer; !strings.Contains(got, words) {
		b.t.Errorf("answer to %q: got %q, want %q in it", text, got, words)
	}
}

// A container that somebody removed while it was paused is made anew, the work
// in it too, and the reader is told (A22).
func TestA22_ContainerRemovedWhilePaused(t *testing.T) {
	t.Parallel()
	b, e := newContainerLab(t, sharedHost(t), nil)
	id := b.start("fswrite kept.txt it stays")
	b.answered(id, 1)
	b.run("pause", string(id))
	b.environment(id, blaise.EnvPaused)
	e.docker(t, "rm", "-f", "blaise-"+string(id)+"-box")
	b.says2(id, 2, "read kept.txt", "it stays")
	if g := b.show(id).Environment.Generation; g != 2 {
		t.Errorf("generation %d, want 2", g)
	}
	b.run("end", string(id))
	b.environment(id, blaise.EnvDestroyed)
	if got := e.of(t, id); strings.TrimSpace(got) != "" {
		t.Errorf("left on the engine: %s", got)
	}
}
