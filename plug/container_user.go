package plug

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// user is who works inside, as the engine is told. By default it has the
// runner's own ids, so that what it writes can be read, saved and removed here;
// where no file is shared it is who the image says.
func (b *containerBuilder) user() string {
	switch {
	case b.p.c.User != "" || b.made.Volume:
		return b.p.c.User
	case b.e.Rootless:
		return "0:0" // which is the runner's user, outside
	}
	return fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
}

// worker is who that comes to: where nothing says it, root.
func (b *containerBuilder) worker() (name, group string, grouped bool) {
	return strings.Cut(cmp.Or(b.user(), b.found.User, "0"), ":")
}

// findUser turns the user into numbers, with the accounts of the image.
func (b *containerBuilder) findUser(ctx context.Context) error {
	name, group, grouped := b.worker()
	uid, gid, err := b.account(ctx, "/etc/passwd", name)
	if err != nil {
		return err
	}
	if grouped {
		if gid, _, err = b.account(ctx, "/etc/group", group); err != nil {
			return err
		}
	}
	b.made.UID, b.made.GID = uid, gid
	return nil
}

// numbers answers who works inside, if that is said in numbers.
func (b *containerBuilder) numbers() (uid, gid int, known bool) {
	name, group, grouped := b.worker()
	uid, err := strconv.Atoi(name)
	if grouped && err == nil {
		gid, err = strconv.Atoi(group)
	}
	return uid, gid, err == nil
}

// account finds a name in a file of accounts: its number, and the one after.
func (b *containerBuilder) account(ctx context.Context, file, name string) (id, next int, err error) {
	if id, err := strconv.Atoi(name); err == nil {
		return id, 0, nil
	}
	text, err := b.accounts(ctx, file)
	if err != nil { // Podman looks for the user itself, whatever is copied
		return 0, 0, fmt.Errorf("user: look for %q in %s of the image (or give numbers, as 1000:1000): %w", name, file, err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) < 3 || f[0] != name {
			continue
		}
		if id, err = strconv.Atoi(f[2]); err == nil {
			if len(f) > 3 {
				next, _ = strconv.Atoi(f[3])
			}
			return id, next, nil
		}
	}
	return 0, 0, fmt.Errorf("user: %q is not in %s of the image: give numbers, as 1000:1000", name, file)
}

// foreign says that the files inside are not the runner's own.
func (b *containerBuilder) foreign() bool {
	own := os.Getuid()
	if b.e.Rootless {
		own = 0
	}
	return !b.made.Volume && b.made.UID != own
}

// lend gives the checkout to who works inside.
func (b *containerBuilder) lend() error {
	if !b.foreign() {
		return nil
	}
	if b.e.Rootless {
		return fmt.Errorf("user: the engine is rootless: inside, root alone is the runner's user outside, and user %d could not "+
			"write the checkout: leave user out", b.made.UID)
	}
	if os.Getuid() != 0 {
		return fmt.Errorf("user: what user %d writes inside, user %d could neither save nor remove here: "+
			"leave user out, or run the runner as root", b.made.UID, os.Getuid())
	}
	return chownAll(b.outer.Dir, b.made.UID, b.made.GID)
}
