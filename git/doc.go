// Package git runs the git program in two ways.
//
// Trusted (Repo): the repository of the user, with the user's configuration,
// without hooks and background work. Worktree commands of one repository are
// not safe against each other, so they run one at a time (Repo.Locked).
//
// Hostile (Snapshot): whatever an agent could write. No git ever runs there
// under a configuration found there: a filter, a monitor or a core.worktree in
// it would run or reach out as us. Instead a bare directory of ours borrows its
// objects, and its HEAD, refs and index are read as data. What is kept comes
// into the user's repository by fetch, with every object checked.
//
// The package knows nothing of plugs. Errors are *Error; their Kind is one of
// the sentinels.
package git
