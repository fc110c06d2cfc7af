package plug

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// sandboxDirs are where the sandbox keeps things, as outer knows them.
type sandboxDirs struct{ base, home, tmp string }

// makeDirs makes the home and takes it up. A home that outer has for the length
// of the environment is bound; the user's own is not, unless asked for.
func (b *sandbox) makeDirs(ctx context.Context, s Scope, outer Env) (sandboxDirs, error) {
	place := outer.Place()
	if !onHost(outer) { // the shim makes them there
		if b.c.Home == homeOwn {
			return sandboxDirs{}, errors.New("open sandbox: home: own is for a sandbox on this machine; " +
				"the layer outside of this one has a home of its own")
		}
		base := "/tmp/.blaise-" + s.Environment + "-" + s.ID
		return sandboxDirs{base: base, home: place.Home, tmp: filepath.Join(base, tmpName)}, nil
	}
	d := sandboxDirs{base: s.Dir, home: place.Home, tmp: filepath.Join(s.Dir, tmpName)}
	if b.c.Home == homeOuter {
		return d, nil
	}
	d.home = filepath.Join(s.Dir, homeName)
	switch {
	case isDir(d.home):
		return d, nil
	case s.Opened:
		return d, fmt.Errorf("open home %q: %w", d.home, ErrGone)
	}
	if err := s.Intend(ctx, homeResource(s)); err != nil {
		return d, fmt.Errorf("enter home in the ledger: %w", err)
	}
	return d, furnish(d.home, place.Home, b.c.Login)
}

// furnish makes a home with copies of the files that agents log in by.
func furnish(home, from string, files []string) error {
	half := home + ".half"
	if err := removeAll(half); err != nil {
		return err
	}
	if err := os.MkdirAll(half, 0o700); err != nil {
		return fmt.Errorf("make home: %w", err)
	}
	for _, name := range files {
		if err := copyFile(filepath.Join(from, name), filepath.Join(half, name)); err != nil {
			return fmt.Errorf("copy login %s: %w", name, err)
		}
	}
	return os.Rename(half, home)
}

// maxLogin is more than any login has.
const maxLogin = 10 << 20

// copyFile copies a file that is there.
func copyFile(from, to string) error {
	st, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() || st.Size() > maxLogin {
		return fmt.Errorf("%s is no file of less than %d MB", from, maxLogin>>20)
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}
