package bundle_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/internal/bundle"
)

// unpacked are the files of a bundle that has a blaise.yml and a log.
func unpacked(t *testing.T, config, log string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	path, file := filepath.Join(dir, "blaise.yml"), filepath.Join(dir, "b.tar.gz")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	b.YAML("blaise.yml", path)
	b.Text("log", log)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(zip); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[head.Name] = string(text)
	}
}

const config = `
version: 1
# hunter2 in a comment
dir: /srv/app
agent:
  command: [my-agent, --api-key, hunter2plain, --pin, 7264853]
  install: 'curl -H "X-Key: hunter2" https://host/install.sh'
  env: {WORD: {from: AGENT_WORD, secret: true}, PIN: 7264853, from: hunter2, use: hunter2, "a/from": hunter2, L: [7264853]}
  mcpServers:
    - {name: tickets, type: http, url: "https://host/mcp?token=hunter2", headers: [{name: Authorization, value: Bearer hunter2-bearer}]}
    - name: files
      command: /usr/bin/mcp --password=hunter2
      args: [--token, hunter2, --root, .]
      env: [{name: MCP_WORD, value: hunter2}]
plugs:
  - {use: worktree, repo: "https://u:hunter2@host/team/app.git", saveLimit: 512}
  - {use: worktree, id: src, repo: "git@host:team/app.git"}
  - {use: exec, onStart: ["postgres://u:hunter2@db/app"], secret: !!int hunter2, more: !hunter2 {x: !!binary aHVudGVyMg==}}
  - {use: container, image: "registry:5000/app:1@sha256:0f", cpus: 2, readOnly: true, env: {A: hunter2}, mounts: ["/a:/b:ro"], engine: "tcp://u:hunter2@e:1"}
  - {use: sandbox, network: {allow: [example.com]}, env: [FOO, "BAR=hunter2"]}
  - {use: secrets, env: {T: {env: GITHUB_TOKEN}, V: {vault: hunter2}}}
  - "postgres://u:hunter2@h": x
runner: {slots: 4, labels: {os: linux, token: "a=hunter2"}, repos: ["https://host/team/*"], what: &a hunter2, again: *a}
`

// Whatever a blaise.yml has in whatever place, only its shape and what is known
// to be harmless goes into a bundle (X12).
func TestConfigurationInItsShape(t *testing.T) {
	t.Parallel()
	const token = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
	files := unpacked(t, config, "it said hunter2-bearer, hunter2plain and u:hunter2@db; blr_"+token+"; my-agent in /usr/bin")
	got := files["blaise.yml"]
	for _, secret := range []string{"hunter2", "7264853", "aHVudGVyMg"} {
		for name, text := range files {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s:\n%s", name, secret, text)
			}
		}
	}
	if files["log"] != "it said [redacted], [redacted] and u:[redacted]@db; [redacted]; my-agent in /usr/bin" {
		t.Errorf("the log became %q", files["log"])
	}
	for _, kept := range []string{
		"version: 1", "dir: /srv/app", "from: AGENT_WORD", "secret: true", "PIN:", "name: tickets", "type: http", "name: Authorization",
		"url: (hidden)", "name: MCP_WORD", "value: (hidden)", "saveLimit: 512", "git@host:team/app.git", "use: exec", "onStart:",
		"registry:5000/app:1@sha256:0f", "cpus: 2", "readOnly: true", "/a:/b:ro", "allow: [example.com]", "FOO", "env: GITHUB_TOKEN",
		"slots: 4", "os: linux", "https://host/team/*",
	} {
		if !strings.Contains(got, kept) {
			t.Errorf("%q is gone of\n%s", kept, got)
		}
	}
}

// Of what is no YAML, or more than one document, nothing is in a bundle, and what may be a secret in it is
// in no other file.
func TestConfigurationThatIsNoYAML(t *testing.T) {
	t.Parallel()
	const command = "agent: {command: [x, --token=hunter2plain"
	for _, config := range []string{command, "version: 1\n---\n" + command + " ]}\n"} {
		files := unpacked(t, config, "x said hunter2plain")
		if got := files["blaise.yml"]; got != "# It is not one document of YAML, and left out.\n" {
			t.Errorf("blaise.yml is %q", got)
		}
		if got := files["log"]; got != "x said [redacted]" {
			t.Errorf("the log became %q", got)
		}
	}
}
