package plug_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	plugtest.Run(t, func(t *testing.T) plugtest.Setup {
		h := host(t, plugtest.TempDir(t))
		write(t, filepath.Join(h.Dir, "key"), "a secret in a file")
		return plugtest.Setup{
			Spec: plug.NewSpec("secrets", "", map[string]any{
				"env":   map[string]any{"TOKEN": map[string]any{"command": "echo a-secret-$((40+2))"}},
				"files": map[string]any{"KEY_FILE": map[string]any{"file": "key"}},
			}),
			Host: h, Keeps: true, Secrets: []string{"a-secret-42", "a secret in a file"},
			Left: func(*testing.T) []string { return homeOf(h) },
		}
	})
}

// homeOf lists what is in a host's home.
func homeOf(h *plug.Local) []string {
	left, _ := filepath.Glob(h.Home + "/.*")
	return slices.DeleteFunc(left, func(path string) bool { return strings.HasSuffix(path, ".") })
}

// provider puts a program of a name first in the host's PATH; it prints its
// arguments.
func provider(t *testing.T, h *plug.Local, name string) {
	t.Helper()
	bin := plugtest.TempDir(t)
	write(t, filepath.Join(bin, name), "#!/bin/sh\necho \"${0##*/}\" \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
		t.Fatal(err)
	}
	h.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
}

// Values come from wherever blaise.yml says, and are known before they are
// given.
func TestSecretsComeFrom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, program string
		from          map[string]any
		want          string
	}{
		{"a variable", "", map[string]any{"env": "HOME"}, os.Getenv("HOME")},
		{"a file", "", map[string]any{"file": "value"}, "from the file"},
		{"a shell line", "", map[string]any{"command": "echo from a line"}, "from a line"},
		{"a program", "", map[string]any{"command": []string{"echo", "from  it"}}, "from  it"},
		{"1Password", "op", map[string]any{"op": "op://team/item/field"}, "op read --no-newline op://team/item/field"},
		{"Vault", "vault", map[string]any{"vault": "secret/app#password"}, "vault kv get -field=password secret/app"},
		{"SOPS", "sops", map[string]any{"sops": "prod.enc.yaml#db.password"}, `sops --decrypt --extract ["db"]["password"] prod.enc.yaml`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := host(t, plugtest.TempDir(t))
			write(t, filepath.Join(h.Dir, "value"), "from the file\n")
			if c.program != "" {
				provider(t, h, c.program)
			}
			w := plugtest.NewWorld(t, h, plug.NewSpec("secrets", "", map[string]any{"env": map[string]any{"V": c.from}}))
			var known []string
			w.Options.Secret = func(s string) { known = append(known, strings.TrimSuffix(s, "\n")) }
			if got := plugtest.Sh(t, w.Open().Env(), `echo "$V"`); got != c.want || fmt.Sprint(known) != "["+c.want+"]" {
				t.Errorf("got %q, want %q; known: %q", got, c.want, known)
			}
		})
	}
}

// A file is its owner's alone, outside of the workspace, gone while the session
// sleeps, and there again in the next run; a run that died leaves none behind.
func TestSecretFiles(t *testing.T) {
	t.Parallel()
	h := host(t, newRepo(t))
	write(t, filepath.Join(h.Home, "key"), "line one\nline two\n")
	w := plugtest.NewWorld(t, h, plug.NewSpec("worktree", "", nil), plug.NewSpec("secrets", "keys",
		map[string]any{"files": map[string]any{"KEY": map[string]any{"file": "~/key"}}}))
	look := `cat "$KEY"; stat -c %a "$KEY" "${KEY%/*}"; case $KEY in "$PWD"/*) echo inside;; esac`
	for range 2 {
		s := w.Open()
		if got, want := plugtest.Sh(t, s.Env(), look), "line one\nline two\n600\n700"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		for range 2 {
			if err := s.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if left := homeOf(h); len(left) > 0 {
			t.Errorf("left while it sleeps: %v", left)
		}
	}
	w.Open() // and dies
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := homeOf(h); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A link that the agent puts in the way leads nothing out of its home.
func TestSecretFilesFollowNoLink(t *testing.T) {
	t.Parallel()
	h, outside := host(t, plugtest.TempDir(t)), plugtest.TempDir(t)
	write(t, filepath.Join(outside, "precious"), "stays\n")
	w := plugtest.NewWorld(t, h, plug.NewSpec("secrets", "", map[string]any{
		"files": map[string]any{"KEY": map[string]any{"command": "echo hush-hush"}},
	}))
	s := w.Open()
	plugtest.Sh(t, s.Env(), `d=${KEY%/*}; rm -r "$d"; ln -s `+outside+` "$d"`)
	if err := s.Pause(t.Context()); err != nil {
		t.Error(err)
	}
	plugtest.Sh(t, s.Env(), `ln -s `+outside+` "${KEY%/*}"`)
	if got := plugtest.Sh(t, w.Open().Env(), `cat "$KEY"`); got != "hush-hush" {
		t.Errorf("got %q", got)
	}
	if err := w.Stack().Destroy(t.Context()); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(outside); len(files) != 1 || read(t, filepath.Join(outside, "precious")) != "stays\n" {
		t.Errorf("outside: %v", files)
	}
}

// A value that is missing refuses the run; the error says which, from where, and
// what the provider said.
func TestSecretsMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from map[string]any
		want string
	}{
		{map[string]any{"env": "NO_SUCH_VARIABLE"}, "secret V (env NO_SUCH_VARIABLE): the runner has no such variable"},
		{map[string]any{"file": "no-such-file"}, "no such file"},
		{map[string]any{"command": "echo locked >&2; exit 2"}, "exit code 2; its last output:\nlocked"},
		{map[string]any{"command": "true"}, "the value is empty"},
		{map[string]any{"command": "yes"}, "more than 1 MB"},
		{map[string]any{"command": []string{"no-such-vault"}}, `program "no-such-vault"`},
	} {
		w := own(t, nil)
		w.Specs = []plug.Spec{plug.NewSpec("secrets", "", map[string]any{"env": map[string]any{"V": c.from}})}
		err := w.Stack().Open(t.Context())
		if !errors.Is(err, plug.ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.from, err, c.want)
		}
	}
}

func TestSecretsConfig(t *testing.T) {
	t.Parallel()
	value := func(from any) map[string]any { return map[string]any{"env": map[string]any{"V": from}} }
	for _, c := range []struct {
		keys map[string]any
		want string
	}{
		{nil, "it gives nothing"},
		{value("plain"), "env: V: want one of {op: ...}"},
		{value(map[string]any{"evn": "A"}), `unknown source "evn" (did you mean "env"?)`},
		{value(map[string]any{"env": "BLAISE_RUNNER_TOKEN"}), "not for agents"},
		{value(map[string]any{"op": "item"}), "op: want op://VAULT/ITEM/FIELD"},
		{value(map[string]any{"vault": "secret/app"}), "vault: want PATH#FIELD"},
		{value(map[string]any{"sops": "file"}), "sops: want FILE#KEY"},
		{value(map[string]any{"file": "--help"}), "does not begin with -"},
		{map[string]any{"env": map[string]any{"A-B": map[string]any{"env": "A"}}}, `"A-B" is no name for a variable`},
		{map[string]any{"env": map[string]any{"V": map[string]any{"env": "A"}}, "files": map[string]any{"V": map[string]any{"env": "A"}}}, "V stands under env and under files"},
	} {
		_, err := plug.New(plug.NewSpec("secrets", "", c.keys))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.keys, err, c.want)
		}
	}
}

// Secrets and the answers of a user's plug reach the agent through a sandbox,
// from whichever side of it.
func TestSecretsInASandbox(t *testing.T) {
	t.Parallel()
	const driver = "namespaces"
	needDriver(t, driver)
	box := plug.NewSpec("sandbox", "", map[string]any{"driver": driver})
	keys := plug.NewSpec("secrets", "", map[string]any{
		"env":   map[string]any{"TOKEN": map[string]any{"command": "echo in-a-variable"}},
		"files": map[string]any{"KEY": map[string]any{"command": "echo in-a-file"}},
	})
	db := plug.NewSpec("exec", "db", map[string]any{"onStart": `echo '{"env": {"DB": "a-database"}}'`})
	install := plug.NewSpec("setup", "", map[string]any{"once": `echo "$DB" >set-up`})
	tree := plug.NewSpec("worktree", "", nil)
	for name, specs := range map[string][]plug.Spec{
		"inside of it": {tree, box, db, install, keys},
		"some outside": {tree, db, box, keys, install},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := host(t, newRepo(t))
			w := plugtest.NewWorld(t, h, specs...)
			s := w.Open()
			if got := plugtest.Sh(t, s.Env(), `echo "$TOKEN $(cat "$KEY") $DB $(cat set-up)"`); got != "in-a-variable in-a-file a-database a-database" {
				t.Errorf("the agent has %q", got)
			}
			if err := s.Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := plugtest.Sh(t, w.Open().Env(), `cat "$KEY"`); got != "in-a-file" {
				t.Errorf("after a pause the agent has %q", got)
			}
			if err := w.Stack().Destroy(t.Context()); err != nil {
				t.Fatal(err)
			}
			if left := append(homeOf(h), w.Leftovers()...); len(left) > 0 || len(w.Ledger()) > 0 {
				t.Errorf("left: %v, %v", left, w.Ledger())
			}
		})
	}
}
