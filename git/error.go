package git

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// The kinds of failure that callers tell apart; test with errors.Is.
var (
	ErrNoGit         = errors.New("git is not installed")
	ErrNotRepository = errors.New("not a git repository")
	ErrEmpty         = errors.New("the repository has no commits")
	ErrNoRevision    = errors.New("no such branch or commit")
	ErrCheckedOut    = errors.New("the branch is checked out elsewhere")
	ErrBranchExists  = errors.New("the branch exists")
	ErrOwnership     = errors.New("the repository belongs to another user")
	ErrLocked        = errors.New("another git process holds a lock")
	ErrVanished      = errors.New("another git process removed a worktree meanwhile")
	ErrTooLarge      = errors.New("too large to save")
	ErrBroken        = errors.New("the repository is broken")
	ErrNoSpace       = errors.New("no space left")
	ErrUnwritten     = errors.New("a file could not be written")
	ErrRefused       = errors.New("git refuses an object")
	ErrLacks         = errors.New("the repository has not the commits that the work begins at")
)

// An Error is a git command that failed, or a repository that is not fit.
type Error struct {
	Verb   string // what was done, as "git worktree add"
	Dir    string
	Code   int    // exit code, 0 if git was not run
	Stderr string // the end of it
	Kind   error  // one of the sentinels, or nil
	Where  string // ErrCheckedOut: the worktree that has the branch; ErrLocked: the file
	Hint   string // what to do
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %q", e.Verb, e.Dir)
	if e.Kind != nil {
		fmt.Fprintf(&b, ": %v", e.Kind)
	}
	if e.Stderr != "" {
		fmt.Fprintf(&b, ": %s", e.Stderr)
	} else if e.Kind == nil {
		fmt.Fprintf(&b, ": exit %d", e.Code)
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Kind }

var (
	checkedOut = regexp.MustCompile(`(?:already checked out at|already used by worktree at) '([^']+)'`)
	lockFile   = regexp.MustCompile(`[Uu]nable to (?:create|lock) '?([^':\n]+\.lock)`)
	vanished   = regexp.MustCompile(`(?:Invalid path '|failed to read )[^':]*/worktrees/[^':]*'?: (?:No such file|Success)`)
)

// classify reads what git said of itself (LC_ALL=C) into a kind and a hint.
func (e *Error) classify(words []string) *Error {
	said := strings.Join(words, "\n")
	switch {
	case checkedOut.MatchString(said):
		e.Kind, e.Where = ErrCheckedOut, checkedOut.FindStringSubmatch(said)[1]
		e.Hint = e.Where + " has it: choose another branch, or switch that one"
	case strings.Contains(said, "dubious ownership"):
		e.Kind = ErrOwnership
		e.Hint = fmt.Sprintf("run as its owner, or: git config --global --add safe.directory %s", e.Dir)
	case strings.Contains(said, "not a git repository"):
		e.Kind = ErrNotRepository
	case lockFile.MatchString(said):
		e.Kind, e.Where = ErrLocked, lockFile.FindStringSubmatch(said)[1]
		e.Hint = fmt.Sprintf("if no git runs, remove %s", e.Where)
	case vanished.MatchString(said):
		e.Kind = ErrVanished
	case strings.Contains(said, "already exists") && strings.Contains(said, "branch named"):
		e.Kind = ErrBranchExists
	default:
		if e.Kind = machineKind(words); e.Kind == ErrNoSpace || e.Kind == ErrUnwritten {
			e.Hint = "free some space, then try again"
		}
	}
	return e
}

// tail is the end of what git said, without progress lines and without its
// advice, which is for who typed the command.
func tail(stderr string) string {
	var kept []string
	for _, line := range linesOf(stderr) {
		if !strings.HasPrefix(line, "Preparing worktree") && !strings.HasPrefix(line, "hint: ") && line != "hint:" {
			kept = append(kept, line)
		}
	}
	s := strings.Join(kept, "; ")
	if len(s) > 2000 {
		s = "..." + s[len(s)-2000:]
	}
	return s
}
