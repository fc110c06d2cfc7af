//go:build linux

package plug_test

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

const escapeVerb = "escape-of-test"

// lay puts out what there is to get at, as the user that the test runs as.
func lay(t *testing.T, w *plugtest.World, network string) prize {
	t.Helper()
	out := plugtest.TempDir(t)
	p := prize{Secret: filepath.Join(w.State, "token"), Hooks: filepath.Join(out, "hooks"),
		Home: w.Options.Host.Place().Home, Socket: filepath.Join(out, "s"), Abstract: filepath.Base(out),
		PID: os.Getpid(), Network: network, Limit: 40}
	write(t, p.Secret, "the runner's token")
	write(t, filepath.Join(p.Hooks, "post-checkout"), "#!/bin/sh\n")
	write(t, filepath.Join(p.Home, ".profile"), "")
	write(t, filepath.Join(p.Home, ".ssh/id"), "key")
	for _, at := range [][2]string{{"unix", p.Socket}, {"unix", "@" + p.Abstract}, {"tcp", "127.0.0.1:0"}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		p.TCP = l.Addr().String()
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	p.UDP = u.LocalAddr().String()
	go func() { // ends with the socket
		b := make([]byte, 16)
		for {
			n, from, err := u.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = u.WriteTo(b[:n], from)
		}
	}()
	return p
}

// A prisoner that tries everything it can think of gets nothing, whichever
// driver makes the sandbox.
func TestSandboxEscape(t *testing.T) {
	t.Parallel()
	for _, driver := range sandboxDrivers {
		for _, network := range []string{"none", "host", "proxy"} {
			t.Run(driver+" "+network, func(t *testing.T) {
				t.Parallel()
				needDriver(t, driver)
				tryEscape(t, driver, network)
			})
		}
	}
}

func tryEscape(t *testing.T, driver, network string) {
	dir := filepath.Join(plugtest.TempDir(t), "work")
	write(t, filepath.Join(dir, "a.txt"), "a\n")
	keys := map[string]any{"driver": driver, "network": network, "pids": 40, "read": []string{prisonerProgram(t)}}
	if network == "proxy" {
		keys["network"] = map[string]any{"allow": []string{"example.com"}}
	}
	w := plugtest.NewWorld(t, host(t, dir), plug.NewSpec("sandbox", "", keys))
	p := lay(t, w, network)
	if !strings.Contains(driver, "landlock") && os.Getuid() != 0 {
		p.Limit = 40 // by the user namespace, where no control group is to be had
	} else if os.Getuid() != 0 {
		p.Limit = 0
	}
	env := w.Open().Env()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	proc, err := env.Start(t.Context(), plug.Cmd{
		Args: []string{prisonerProgram(t), escapeVerb, string(b)}, Stdout: &out, Stderr: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if exit, err := proc.Wait(); err != nil || exit.Code != 0 {
		t.Errorf("the attempt ended with %+v, %v", exit, err)
	}
	if got := strings.TrimSpace(out.String()); got != "tried all" {
		t.Errorf("%s, network %s: %s", driver, network, got)
	}
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Errorf("destroy: %v", err)
	}
}

// The same as a user without any privilege, if the tests run as root.
func TestSandboxAsAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("the tests run as such a user")
	}
	dir, err := os.MkdirTemp("", "blaise-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	const user = 54321
	program := filepath.Join(dir, "plug.test")
	if out, err := exec.Command("cp", os.Args[0], program).CombinedOutput(); err != nil {
		t.Fatalf("copy the test: %v: %s", err, out)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o755, program: 0o755} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(home, user, user); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.run=^TestSandbox$|^TestSandboxEscape$", "-test.v")
	c.Dir, c.Env = home, append(os.Environ(), "HOME="+home, "TMPDIR="+home, plugtest.ShimVariable+"="+plugtest.Shim(t))
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("as uid %d: %v\n%s", user, err, out)
	}
	if !strings.Contains(string(out), "--- PASS: TestSandboxEscape/") {
		t.Logf("as uid %d nothing could be tried:\n%s", user, out)
	}
}

// What an agent leaves in its clone runs nowhere and leads nowhere when the run
// saves it: hooks, fsmonitor, filters, links, a .git that is elsewhere.
func TestSandboxLeavesNoTrapsForGit(t *testing.T) {
	t.Parallel()
	needDriver(t, "namespaces")
	repo, out := newRepo(t), plugtest.TempDir(t)
	trap, secret := filepath.Join(out, "sprung"), filepath.Join(out, "secret")
	write(t, secret, "not to be saved")
	w := plugtest.NewWorld(t, host(t, repo), plug.NewSpec("worktree", "src", nil),
		plug.NewSpec("sandbox", "", map[string]any{"driver": "namespaces"}))
	stack := w.Open()
	plugtest.Sh(t, stack.Env(), "test -d .git") // a clone: a linked one would need the user's
	plugtest.Sh(t, stack.Env(), `
		for h in post-checkout pre-commit post-commit reference-transaction; do
			printf '#!/bin/sh\ntouch `+trap+`\n' >.git/hooks/$h; chmod +x .git/hooks/$h; done
		git config core.fsmonitor 'touch `+trap+`; true'; git config core.hooksPath .git/hooks
		git config filter.x.clean 'touch `+trap+`; cat'; echo '* filter=x' >.gitattributes
		git config core.worktree `+out+`; git config core.sshCommand 'touch `+trap+`'
		printf '[submodule "s"]\n path = ../../x\n url = ext::sh -c "touch `+trap+`"\n' >.gitmodules
		ln -s `+secret+` leak; mkdir sub2; echo 'gitdir: `+repo+`/.git' >sub2/.git
		echo new >work.txt`)
	works, err := stack.Save(t.Context())
	if err != nil || len(works) != 1 {
		t.Fatalf("save: %v, %v", works, err)
	}
	if got := gitIn(t, repo, "show", works[0].Commit+":work.txt"); got != "new" {
		t.Errorf("work.txt was saved as %q", got)
	}
	if got := gitIn(t, repo, "show", works[0].Commit+":leak"); got != secret {
		t.Errorf("the link was followed: %q", got)
	}
	if _, err := os.Lstat(trap); err == nil {
		t.Error("a program that the agent named ran outside")
	}
	if err := stack.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
}
