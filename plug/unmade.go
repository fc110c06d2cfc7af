package plug

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Unmade says that dir, a layer's, holds what was to be made and nothing else:
// the run ended before the ledger had it, so nobody will ask for it. Containers
// are not looked for: they are in the ledger before they are written down.
func Unmade(ctx context.Context, dir string) bool {
	entries, err := os.ReadDir(dir)
	made := func(e os.DirEntry) bool { return !unmade(ctx, dir, e.Name()) }
	return err == nil && len(entries) > 0 && !slices.ContainsFunc(entries, made)
}

// unmade says the same of one file. What follows a file's name in that of
// another was being written when the run was killed.
func unmade(ctx context.Context, dir, name string) bool {
	switch {
	case strings.HasPrefix(name, madeFile):
		return unmadeWorktree(ctx, dir)
	case name == vaultFile:
		v, err := loadVault(Scope{Dir: dir})
		return err == nil && v != nil && (!v.Entered || v.Host && missing(v.Dir))
	case strings.HasPrefix(name, vaultFile):
		return true
	case name == groupName:
		group, err := os.ReadFile(filepath.Join(dir, name))
		return err == nil && missing(string(group))
	}
	return false
}
