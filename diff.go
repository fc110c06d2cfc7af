package blaise

import "time"

// A Diff is what a session changed since it began, as the run saw it that
// looked last. It is shown, and nothing decides by it.
type Diff struct {
	Run   RunID        `json:"run"`
	At    time.Time    `json:"at"`   // when Blaise got it
	From  string       `json:"from"` // what was looked at: a worktree, or the ref of a save
	Files []FileChange `json:"files"`
	Patch string       `json:"patch,omitempty"` // as git prints it
	Cut   bool         `json:"cut,omitempty"`   // there is more than DiffMost of the patch, or of the files
	Error string       `json:"error,omitempty"` // why the run could not look
}

// A FileChange is one file of a Diff; Added and Deleted are -1 for a binary one.
type FileChange struct {
	Path    string `json:"path"`
	Added   int    `json:"added"`
	Deleted int    `json:"deleted"`
}

// DiffMost is how many bytes of a patch Blaise is told, and of a list of files.
const DiffMost = 1 << 20
