package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockWait is how long Locked waits: what runs under the lock takes
// milliseconds, but a save of much work may be among it.
const lockWait = 5 * time.Minute

// blaiseLock is held by a process of Blaise that runs a worktree command.
const blaiseLock = "blaise.lock"

// Locked runs do while no other process of Blaise runs a worktree command in
// the repository. It is not to be nested.
func (r *Repo) Locked(ctx context.Context, do func(context.Context) error) error {
	return r.lockedBy(ctx, filepath.Join(r.CommonDir, blaiseLock), lockWait, do)
}

func (r *Repo) lockedBy(
	ctx context.Context, path string, patience time.Duration, do func(context.Context) error,
) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return fmt.Errorf("lock repository: %w", err)
	}
	defer f.Close() // and with it the lock
	deadline := time.Now().Add(patience)
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return do(ctx)
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return fmt.Errorf("lock %q: %w", path, err)
		case time.Now().After(deadline):
			return &Error{Verb: "lock repository", Dir: r.Dir, Kind: ErrLocked, Where: path,
				Hint: "another run holds it for minutes; see who with: fuser " + path}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// staleAge is how old a lock file must be before it can be stale: git holds one
// closed for a moment between its last write and the rename.
const staleAge = 2 * time.Second

// ClearLock removes a git lock file that a killed process left: it is older
// than two seconds and no process has it open or runs git beside it. It reports
// whether the way is free.
func ClearLock(path string) bool {
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return true
	}
	if err != nil || !st.Mode().IsRegular() || time.Since(st.ModTime()) < staleAge {
		return false
	}
	if held, sure := holds(path); held || !sure && time.Since(st.ModTime()) < 10*time.Minute {
		return false
	}
	again, err := os.Lstat(path)
	if err != nil || !os.SameFile(st, again) {
		return errors.Is(err, os.ErrNotExist)
	}
	return os.Remove(path) == nil
}

// WaitLock clears a lock file as ClearLock does, and gives a young one the time
// to go or to grow old. It reports whether the way is free.
func WaitLock(ctx context.Context, path string) bool {
	for deadline := time.Now().Add(staleAge + time.Second); ; {
		if ClearLock(path) {
			return true
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return false
		}
		time.Sleep(100 * time.Millisecond)
	}
}
