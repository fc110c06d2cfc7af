package jail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A view is the file system of a prisoner while it is built: everything that it
// will hold is taken up front, as mounts that are nowhere yet, and then put in
// through descriptors. No name is looked up twice, and no link followed, on the
// way to a place: a prisoner of the same home, who is there already, can lay
// none.
type view struct {
	root   int // the new root, while it is built
	covers []string
}

// enterView changes the file system of this process, in its own mount
// namespace, to what the plan says.
func (s Spec) enterView() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	plan := s.plan()
	trees, err := take(plan)
	if err != nil {
		return err
	}
	devices, err := takeDevices()
	if err != nil {
		return err
	}
	v, err := newView()
	if err != nil {
		return err
	}
	if err := v.addProc(); err != nil {
		return err
	}
	if err := v.addDevices(devices); err != nil {
		return err
	}
	for i, st := range plan {
		if err := v.add(st, trees[i]); err != nil {
			return fmt.Errorf("show %s: %w", st.to, err)
		}
	}
	return v.enter()
}

// take opens what the steps bind.
func take(plan []step) ([]int, error) {
	trees := make([]int, len(plan))
	for i, st := range plan {
		from := st.from
		switch {
		case st.kind == empty && st.file():
			from = os.DevNull
		case st.kind != bind:
			continue
		}
		fd, err := takeTree(from, st.rw)
		if err != nil {
			return nil, fmt.Errorf("take %s: %w", from, err)
		}
		trees[i] = fd
	}
	return trees, nil
}

func takeTree(path string, rw bool) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path,
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if !rw {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	return fd, unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
}

// newView puts an empty root over the old one's place for temporary files, and
// goes there; the old root is then reached no more but through what was taken.
func newView() (*view, error) {
	root, err := newMount("tmpfs", "mode", "0755", "size", "16m")
	if err != nil {
		return nil, fmt.Errorf("make root: %w", err)
	}
	over := "/tmp"
	if _, err := os.Stat(over); err != nil {
		over = "/usr"
	}
	if err := move(root, unix.AT_FDCWD, over); err != nil {
		return nil, fmt.Errorf("mount root: %w", err)
	}
	if err := unix.Fchdir(root); err != nil {
		return nil, fmt.Errorf("enter root: %w", err)
	}
	return &view{root: root}, nil
}

// newMount makes a mount of a file system that has its options in pairs.
func newMount(kind string, options ...string) (int, error) {
	fs, err := unix.Fsopen(kind, unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fs)
	for i := 0; i+1 < len(options); i += 2 {
		if err := unix.FsconfigSetString(fs, options[i], options[i+1]); err != nil {
			return -1, fmt.Errorf("%s=%s: %w", options[i], options[i+1], err)
		}
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, err
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// move attaches a mount to a place: a path, or with at a descriptor itself.
func move(fd, at int, path string) error {
	flags := unix.MOVE_MOUNT_F_EMPTY_PATH
	if path == "" {
		flags |= unix.MOVE_MOUNT_T_EMPTY_PATH
	}
	return unix.MoveMount(fd, "", at, path, flags)
}

func (v *view) add(st step, tree int) error {
	switch {
	case st.kind == dir:
		_, err := v.place(st.to, true)
		return err
	case st.kind == link:
		return v.link(st.from, st.to)
	case st.kind == empty && tree == 0:
		fd, err := newMount("tmpfs", "mode", "0755", "size", "1m")
		if err != nil {
			return err
		}
		v.covers = append(v.covers, st.to)
		tree = fd
	}
	return v.put(tree, st.to)
}

// put attaches a tree under a name of the new root.
func (v *view) put(tree int, name string) error {
	defer unix.Close(tree)
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return err
	}
	at, err := v.place(name, st.Mode&unix.S_IFMT == unix.S_IFDIR)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return move(tree, at, "")
}

// place opens a name of the new root, and makes what is missing of it. It
// follows no link.
func (v *view) place(name string, isDir bool) (int, error) {
	at, err := unix.Dup(v.root)
	if err != nil {
		return -1, err
	}
	if name = strings.Trim(filepath.Clean(name), "/"); name == "" {
		return at, nil
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		next, err := openPart(at, part, isDir || i < len(parts)-1)
		unix.Close(at)
		if err != nil {
			return -1, fmt.Errorf("%s: %w", strings.Join(parts[:i+1], "/"), err)
		}
		at = next
	}
	return at, nil
}

func openPart(at int, part string, isDir bool) (int, error) {
	open := func() (int, error) {
		fd, err := unix.Openat(at, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, err
		}
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT == unix.S_IFLNK {
			unix.Close(fd)
			return -1, errors.Join(err, unix.ELOOP)
		}
		return fd, nil
	}
	fd, err := open()
	if !errors.Is(err, unix.ENOENT) {
		return fd, err
	}
	if isDir {
		err = unix.Mkdirat(at, part, 0o755)
	} else {
		err = unix.Mknodat(at, part, unix.S_IFREG|0o444, 0)
	}
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return open()
}

func (v *view) link(to, name string) error {
	at, err := v.place(filepath.Dir(name), true)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return unix.Symlinkat(to, at, filepath.Base(name))
}

// enter makes the root what it is for good, and leaves the old one.
func (v *view) enter() error {
	defer unix.Close(v.root)
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	for _, cover := range v.covers {
		if err := unix.MountSetattr(v.root, strings.TrimPrefix(cover, "/"), unix.AT_SYMLINK_NOFOLLOW, &readOnly); err != nil {
			return fmt.Errorf("make %s read-only: %w", cover, err)
		}
	}
	if err := unix.MountSetattr(v.root, "", unix.AT_EMPTY_PATH, &readOnly); err != nil {
		return fmt.Errorf("make root read-only: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change root: %w", err)
	}
	// The old root lies over the new one now.
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave old root: %w", err)
	}
	return os.Chdir("/")
}
