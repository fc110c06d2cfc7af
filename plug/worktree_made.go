package plug

import (
	"context"
	"errors"
	"io/fs"
	"os"
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
	Home      bool      `json:"home,omitempty"`    // Blaise has that, or it is the base
	Refused   string    `json:"refused,omitempty"` // its branches, if the repository refused some of it

	// Known while it is made: the commit of Base, the tree of Start, what Branch was.
	base, tree, tip string
	subs            []submodule // to be checked out
}

const madeFile = "made.json"

// loadMade answers nil if nothing was written down.
func loadMade(dir string) (*made, error) { return readDown[made](dir, madeFile) }

// save is durable when it returns.
func (m *made) save(dir string) error { return writeDown(dir, madeFile, m) }

// open finds the repository again. One that is gone is ErrNotRepository, also
// where another repository further up would answer.
func (m *made) open(ctx context.Context) (*git.Repo, error) {
	repo, err := git.Open(ctx, m.Repo)
	if err != nil {
		return nil, err
	}
	if !git.SamePath(repo.CommonDir, m.CommonDir) {
		return nil, &git.Error{Verb: "open repository", Dir: m.Repo, Kind: git.ErrNotRepository}
	}
	return repo, nil
}

// unmadeWorktree says that of the worktree which is written down in dir nothing
// was made.
func unmadeWorktree(ctx context.Context, dir string) bool {
	m, err := loadMade(dir)
	switch {
	case err != nil:
		return false
	case m == nil: // the run was killed while it wrote that down
		return true
	}
	r := &git.Repo{Dir: m.Repo, CommonDir: m.CommonDir}
	if m.Whole || !missing(m.Dir) || m.half() != "" || r.AdminDir(m.Dir) != "" {
		return false
	}
	tip, err := r.Branch(ctx, m.Branch) // git makes it before the directory
	return !m.NewBranch || err == nil && tip == ""
}

// half is the clone that was being made when the run ended, "" if there is none:
// a whole one leaves none, so what has that name then is not ours.
func (m *made) half() string {
	half := m.Dir + git.HalfExt
	if !m.Clone || m.Whole || missing(half) {
		return ""
	}
	return half
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
