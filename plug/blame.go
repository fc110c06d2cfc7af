package plug

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"blaise.dev/blaise/git"
	"blaise.dev/blaise/internal/engine"
)

// errAsked is ErrRefused where what was asked for cannot be had from here: a
// repository that may not be fetched, or that gives nothing.
var errAsked = fmt.Errorf("%w", ErrRefused)

// Asked reports whether a layer failed by what it was asked for, which is
// nowhere or cannot be had: a repository, a branch. Another machine would fare
// no better. What Lacks reports is never that.
func Asked(err error) bool {
	return !Lacks(err) && isAny(err, errAsked,
		git.ErrNoRevision, git.ErrEmpty, git.ErrCheckedOut, git.ErrBranchExists)
}

// Theirs reports whether a layer failed by what the repository, or whoever wrote
// it, has it do: a line that sets it up, its Dockerfile. What Lacks reports is
// never that.
func Theirs(err error) bool { return !Lacks(err) && errors.As(err, new(theirs)) }

// A theirs is such a failure, in its own words.
type theirs struct{ error }

func (t theirs) Unwrap() error { return t.error }

// Lacks reports whether a layer failed for want of what this machine must have,
// whatever was asked for: a program, rights, an engine, space, processes.
func Lacks(err error) bool {
	return isAny(err, ErrCommandNotFound, ErrNotRunnable, fs.ErrPermission,
		git.ErrNoGit, git.ErrOwnership, git.ErrBroken, git.ErrNoSpace, git.ErrUnwritten,
		engine.ErrUnreachable, engine.ErrTooOld,
		syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO,
		syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE)
}

func isAny(err error, kinds ...error) bool {
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}
