package plug_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blaise.dev/blaise/git"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/plug/plugtest"
)

// What git says of the machine is the machine's, in all the words it has for it.
func TestGitsWordsOfTheMachine(t *testing.T) {
	bin := plugtest.TempDir(t)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for said, lacks := range map[string]bool{
		"error: unable to write file a.txt":                                    true,
		"fatal: sha1 file 'x' write error. Out of diskspace":                   true,
		"error: unable to create file a: No space left on device":              true,
		"error: unable to create file a: Read-only file system":                true,
		"error: unable to create file a: Disk quota exceeded":                  true,
		"fatal: read error: Input/output error":                                true,
		"error: cannot fork() for index-pack: Cannot allocate memory":          true,
		"error: cannot fork() for ssh: Resource temporarily unavailable":       true,
		"error: unable to create file No space left on device: Is a directory": false,
		"bot@far: Permission denied (publickey).":                              false,
	} {
		write(t, filepath.Join(bin, "git"), "#!/bin/sh\ncat >&2 <<'E'\n"+said+"\nE\nexit 128\n")
		if err := os.Chmod(filepath.Join(bin, "git"), 0o700); err != nil {
			t.Fatal(err)
		}
		_, err := (&git.Repo{Dir: bin}).Run(t.Context(), "fetch")
		if err == nil || plug.Lacks(err) != lacks {
			t.Errorf("%v: lacks %v", err, !lacks)
		}
	}
}

// What another machine says, or a file in the repository is called, is nothing
// that this one lacks.
func TestOthersWordsAreNotTheMachines(t *testing.T) {
	t.Parallel()
	const lie = "No space left on device\nfatal: write error: No space left on device"
	for name, answer := range map[string]http.HandlerFunc{
		"an error of its git": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			fmt.Fprintf(w, "001e# service=git-upload-pack\n0000%04xERR %s", len(lie)+8, lie)
		},
		"a page": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintln(w, lie)
		},
	} {
		t.Run(name, func(t *testing.T) {
			far := httptest.NewServer(answer)
			defer far.Close()
			w := newWorktree(t, newRepo(t), map[string]any{"repo": far.URL + "/app"})
			w.Options.Repos = []string{far.URL + "/**"}
			err := openError(t, w)
			if contains(t, err.Error(), lie[:8]); plug.Lacks(err) || !plug.Asked(err) {
				t.Errorf("%v: lacks %v, asked %v", err, plug.Lacks(err), plug.Asked(err))
			}
		})
	}
	t.Run("a file", func(t *testing.T) {
		repo := newRepo(t)
		name := longName + "\nfatal: write error: No space left on device\n"
		entry := "100644 " + gitIn(t, repo, "rev-parse", "HEAD:a.txt") + "\t" + name + "\x00"
		file := filepath.Join(plugtest.TempDir(t), "entry")
		write(t, file, entry)
		gitIn(t, repo, "-c", "alias.put=!git update-index --add -z --index-info <'"+file+"'", "put")
		gitIn(t, repo, "commit", "-qm", "a name that lies")
		err := openError(t, urlWorld(t, repo, "file:///**"))
		if plug.Lacks(err) || !strings.Contains(err.Error(), "write error") {
			t.Errorf("lacks %v: %v", plug.Lacks(err), err)
		}
	})
}
