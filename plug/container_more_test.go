package plug_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

func containerWorld(t *testing.T, keys map[string]any) *plugtest.World {
	t.Helper()
	return plugtest.NewWorld(t, host(t, newRepo(t)), plug.NewSpec("worktree", "src", nil), containerSpec(t, keys))
}

// destroy ends a test without a trace.
func destroy(t *testing.T, w *plugtest.World) {
	t.Helper()
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Errorf("destroy: %v", err)
	}
	if left := w.Ledger(); len(left) > 0 {
		t.Errorf("left in the ledger: %v", left)
	}
}

// What an engine does not have, or a file asks wrongly, is said with what to do.
func TestContainerBadInput(t *testing.T) {
	t.Parallel()
	needEngine(t)
	bad := filepath.Join(t.TempDir(), "Dockerfile")
	write(t, bad, "FROM "+busyboxImage+"\nRUN echo almost done; echo this is why >&2; exit 3\n")
	for name, c := range map[string]struct {
		keys map[string]any
		want string
	}{
		"no engine":      {map[string]any{"engine": "unix:///no/such.sock"}, "no engine answers at unix:///no/such.sock"},
		"no image":       {map[string]any{"image": "blaise-test/none:1"}, "does not have the image"},
		"bad dockerfile": {map[string]any{"image": nil, "dockerfile": bad}, "this is why"},
		"no dockerfile":  {map[string]any{"image": nil, "dockerfile": "none"}, "no such file"},
		"bad user":       {map[string]any{"user": "bob"}, "give numbers, as 1000:1000"},
		"bad mount":      {map[string]any{"mounts": []string{"/no/such:/x"}}, seen(t, "no such file")},
		"a socket":       {map[string]any{"mounts": []string{socket(t) + ":/x"}}, seen(t, "is a socket")},
		"the state":      {map[string]any{"mounts": []string{"/:/host:ro"}}, seen(t, "is the runner's own")},
		"no runtime":     {map[string]any{"runtime": "none"}, `does not know "none", but`},
		"no network":     {map[string]any{"network": "none-such"}, "docker network create none-such"},
		"no file":        {map[string]any{"files": []string{"/no/such:~/x"}}, "no such file"},
		"dynamic shim":   {map[string]any{"shim": "/bin/sh"}, "cannot run inside: it is not static"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := containerWorld(t, c.keys)
			err := w.Stack().Open(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if name == "no engine" {
				return // nothing can be looked at, nothing was made
			}
			destroy(t, w)
		})
	}
}

// seen is what is wrong with a mount, where the engine sees this machine's files.
func seen(t *testing.T, what string) string {
	if strings.HasPrefix(needEngine(t), "unix://") {
		return what
	}
	return "does not see this machine's files"
}

func socket(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return path
}

func TestContainerConfigIsChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys map[string]any
		want string
	}{
		"no image":       {map[string]any{}, "image is missing"},
		"both":           {map[string]any{"image": "a", "dockerfile": "b"}, "exclude each other"},
		"host network":   {map[string]any{"image": "a", "network": "host"}, "not its own"},
		"size":           {map[string]any{"image": "a", "memory": "lots"}, "512m"},
		"home in work":   {map[string]any{"image": "a", "home": "/workspace/home"}, "inside of the other"},
		"relative mount": {map[string]any{"image": "a", "mounts": []string{"/a:b"}}, "must be absolute"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := plug.New(plug.NewSpec("container", "", c.keys))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}

// What the agent installs, and its home, are there after a pause (A3, A12);
// limits and variables are as the file says; no value is on a command line.
func TestContainerKeepsAndLimits(t *testing.T) {
	t.Parallel()
	needEngine(t)
	login := filepath.Join(t.TempDir(), "login.json")
	write(t, login, "the login")
	w := containerWorld(t, map[string]any{
		"env": map[string]string{"FROM_FILE": "yes"}, "files": []string{login + ":~/.agent/login.json"},
		"pids": 64, "memory": "64m", "cpus": 0.5, "user": "0:0",
	})
	env := w.Open().Env()
	plugtest.Sh(t, env, "echo tool >/bin/tool; echo kept >~/kept; cat ~/.agent/login.json | grep 'the login'; test $FROM_FILE = yes")
	name := "blaise-" + w.Session + "-box"
	limits := mustDocker(t, "inspect", "-f", "{{.HostConfig.PidsLimit}} {{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} {{.HostConfig.SecurityOpt}}", name)
	said := strings.Contains(w.Notices(), "are not enforced")
	if limits != "64 67108864 500000000 [no-new-privileges]" && (!said || limits != "0 0 0 [no-new-privileges]") {
		t.Errorf("limits: %s; said that there are none: %v", limits, said)
	}
	p, err := env.Start(t.Context(), plug.Cmd{Args: []string{"sleep", "300"}, Env: []string{"TOKEN=very-secret-value"}})
	if err != nil {
		t.Fatal(err)
	}
	if out := mustDocker(t, "top", name, "-eo", "pid,args"); strings.Contains(out, "very-secret") {
		t.Errorf("a value is on a command line: %s", out)
	}
	if out := mustDocker(t, "inspect", name); strings.Contains(out, "very-secret") {
		t.Error("a value is in inspect")
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := w.Stack().Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if running := mustDocker(t, "inspect", "-f", "{{.State.Running}}", name); running != "false" {
		t.Errorf("running after a pause: %s", running)
	}
	plugtest.Sh(t, w.Open().Env(), "cat /bin/tool ~/kept")
	destroy(t, w)
}

// A link that the agent makes is followed inside, or not at all.
func TestContainerFilesAreThoseInside(t *testing.T) {
	t.Parallel()
	needEngine(t)
	w := containerWorld(t, nil)
	env := w.Open().Env()
	place := env.Place()
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, secret, "of the host")
	plugtest.Sh(t, env, "ln -s "+secret+" leak; echo in >in")
	if b, err := plug.ReadFile(t.Context(), env, place.Dir+"/leak", 1<<20); err == nil {
		t.Errorf("the link was followed: %q", b)
	}
	if b, err := plug.ReadFile(t.Context(), env, place.Dir+"/in", 1<<20); string(b) != "in\n" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	if err := plug.WriteFile(t.Context(), env, place.Dir+"/new/out", []byte("out")); err != nil {
		t.Fatal(err)
	}
	if got := plugtest.Sh(t, env, "cat new/out"); got != "out" {
		t.Errorf("got %q", got)
	}
	destroy(t, w)
}

// The fence ends what runs inside (X2).
func TestContainerFence(t *testing.T) {
	t.Parallel()
	needEngine(t)
	w := containerWorld(t, nil)
	env := w.Open().Env()
	fence := w.Options.Host.(*plug.Local).Fence
	p, err := env.Start(t.Context(), plug.Cmd{Args: []string{"sleep", "300"}})
	if err != nil {
		t.Fatal(err)
	}
	fence.Renew(plug.Boottime() + 50*time.Millisecond)
	if exit, err := p.Wait(); exit.Signal != "SIGKILL" || err != nil {
		t.Errorf("got %+v, %v", exit, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := env.Start(ctx, plug.Cmd{Args: []string{"true"}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("past the fence something starts: %v", err)
	}
	fence.Renew(0)
	destroy(t, w)
}

// Saved work comes out of a volume with what was deleted and committed inside.
func TestContainerVolumeIsBroughtHome(t *testing.T) {
	t.Parallel()
	needEngine(t)
	w := containerWorld(t, map[string]any{"remote": true})
	stack := w.Open()
	dir := filepath.Join(w.State, "environments", w.Session, "src", w.Session)
	plugtest.Sh(t, stack.Env(), "rm a.txt; echo new >new.txt; ln -s /etc/passwd leak; mkdir -p -m 500 shut; mkfifo pipe")
	seen, err := stack.Look(t.Context())
	if err != nil || !strings.Contains(seen.Patch, "+new") {
		t.Errorf("seen while it is open: %+v, %v", seen, err)
	}
	saved, err := stack.Save(t.Context())
	if err != nil || len(saved) != 1 {
		t.Fatalf("saved %v, %v", saved, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "a.txt")); err == nil {
		t.Error("a file that was deleted inside is there")
	}
	if link, err := os.Readlink(filepath.Join(dir, "leak")); link != "/etc/passwd" || err != nil {
		t.Errorf("the link: %q, %v", link, err)
	}
	if got := read(t, filepath.Join(dir, "new.txt")); got != "new\n" {
		t.Errorf("got %q", got)
	}
	destroy(t, w)
}
