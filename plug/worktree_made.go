package plug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"blaise.dev/blaise/git"
)

// A made is what a worktree plug wrote down of what it makes, before it makes
// it, where no agent can see it.
type made struct {
	Repo      string    `json:"repo"`
	CommonDir string    `json:"commonDir"`
	Dir       string    `json:"dir"`
	Branch    string    `json:"branch"`
	NewBranch bool      `json:"newBranch"`         // made by us, to be deleted by us
	Base      string    `json:"base"`              // the name
	Start     string    `json:"start"`             // the commit
	Clone     bool      `json:"clone"`             // not linked: the mode stays as made
	At        time.Time `json:"at"`                // when it was begun
	Whole     bool      `json:"whole"`             // an agent may have worked in it
	Saved     string    `json:"saved"`             // fingerprint of the last save, or of the start
	Refused   string    `json:"refused,omitempty"` // its branches, if the repository refused some of it

	tree, tip string // of Start, and of Branch before: known while it is made
}

const madeFile = "made.json"

// loadMade answers nil if nothing was written down.
func loadMade(dir string) (*made, error) {
	b, err := os.ReadFile(filepath.Join(dir, madeFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was made: %w", err)
	}
	var m made
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("read %q: %w", filepath.Join(dir, madeFile), err)
	}
	return &m, nil
}

// save is durable when it returns.
func (m *made) save(dir string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write down what is made: %w", err)
		}
	}()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, madeFile+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(dir, madeFile))
}

// open finds the repository again. One that is gone is ErrNotRepository, also
// where another repository further up would answer.
func (m *made) open(ctx context.Context) (*git.Repo, error) {
	repo, err := git.Open(ctx, m.Repo)
	if err != nil {
		return nil, err
	}
	if repo.CommonDir != m.CommonDir {
		return nil, &git.Error{Verb: "open repository", Dir: m.Repo, Kind: git.ErrNotRepository}
	}
	return repo, nil
}
