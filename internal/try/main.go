// Command try shows a whole session on a real repository, step by step and in
// plain words. `make try` runs it with the built blaise; it uses nothing but
// that program and git, as a person would.
//
// At the end the dashboard keeps running, to look around; with TRY_EXIT=1 it is
// stopped, and everything that try has made is removed.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: try PATH-OF-BLAISE")
		os.Exit(2)
	}
	if err := try(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "\ntry:", err)
		os.Exit(1)
	}
}

// try tells the story. Each step fails if what it says is not so.
func try(program string) error {
	t, err := newTrial(program)
	if err != nil {
		return err
	}
	steps := []struct {
		title string
		do    func() error
	}{
		{"A git repository with a few files, to work on", t.makeRepo},
		{"Blaise, all of it in one process; the agent pauses after 2 idle seconds", t.startBlaise},
		{"A session: the agent is asked to write a file, asks back, and is allowed to", t.firstMessage},
		{"The file is in a worktree of its own, on the session's branch", t.lookAtWork},
		{"Nobody says anything: the session pauses", t.awaitPause},
		{"A second message wakes it, and the agent remembers the first", t.secondMessage},
		{"The session ends, and nothing of it is left but the saved work", t.end},
		{"One command brings the work back", t.restore},
	}
	for i, s := range steps {
		fmt.Printf("\n%d. %s\n", i+1, s.title)
		if err := s.do(); err != nil {
			t.tellLog()
			err = errors.Join(fmt.Errorf("step %d: %w", i+1, err), t.stop())
			killBelow(t.data) // runs outlive the Blaise that began them
			return err
		}
	}
	return t.finish()
}

// finish says where to look on, or cleans up.
func (t *trial) finish() error {
	fmt.Printf("\nAll of it worked. The work is in %s, ref %s.\n", t.repo, t.ref)
	if os.Getenv("TRY_EXIT") == "1" {
		if err := t.stop(); err != nil {
			return err
		}
		fmt.Println("Blaise was stopped, and what was made to try it is removed.")
		return os.RemoveAll(t.dir)
	}
	link, err := t.output(t.blaise("open"))
	if err != nil {
		return err
	}
	fmt.Printf("\nThe dashboard goes on running. Open it in a browser, once:\n\n  %s\n\n", link)
	fmt.Printf("Or go on here:\n\n  export PATH=%s:$PATH BLAISE_DATA=%s\n", filepath.Dir(t.program), t.data)
	fmt.Printf("  blaise start --agent try --wait help\n\nTo stop it: kill %d\n", t.dev.Process.Pid)
	fmt.Printf("Then remove what was made to try it: rm -rf %s\n", t.dir)
	return nil
}

// await polls until so is true.
func await(what string, so func() (bool, error)) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		ok, err := so()
		if err != nil || ok {
			return err
		}
	}
	return fmt.Errorf("waited a minute for %s", what)
}
