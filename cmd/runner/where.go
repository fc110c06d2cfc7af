package main

import (
	"os"
	"path/filepath"
	"strings"

	"blaise.dev/blaise"
)

// defaultState is where the runner keeps its state when nothing else is said.
func defaultState() string {
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "blaise-runner")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "blaise-runner")
	}
	return stateBelow(home)
}

func stateBelow(home string) string { return filepath.Join(home, ".local", "state", "blaise-runner") }

// token reads the runner token: from the file, each time anew, so that it can
// be replaced under a running daemon; else from the environment.
func token(file string) (string, error) {
	if file == "" {
		t := strings.TrimSpace(os.Getenv("BLAISE_RUNNER_TOKEN"))
		if t == "" {
			return "", blaise.Errorf(blaise.CodeInvalid, "the runner has no token").
				WithHint("make one with `blaise token create NAME`, and give it with --token-file or BLAISE_RUNNER_TOKEN")
		}
		return t, nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", blaise.Errorf(blaise.CodeInvalid, "the token file cannot be read: %v", err)
	}
	t := strings.TrimSpace(string(b))
	if t == "" {
		return "", blaise.Errorf(blaise.CodeInvalid, "the token file %s is empty", file)
	}
	return t, nil
}
