package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"blaise.dev/blaise/daemon"
	"blaise.dev/blaise/internal/engine"
	"blaise.dev/blaise/plug"

	"golang.org/x/sys/unix"
)

func machine(context.Context, Options) []Line {
	text := fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if runtime.GOOS != "linux" {
		return lines(doubtful("machine", text, "there is no sandbox here, and a process that leaves its group is not found again"))
	}
	if os.Getuid() == 0 {
		return lines(doubtful("machine", text+", as root",
			"agents outside of a container or sandbox may do everything here: run it as a user of its own"))
	}
	return lines(good("machine", text))
}

// Space that runs need, in bytes: no run is taken below the first (--min-disk).
const (
	leastSpace = 256 << 20
	fairSpace  = 2 << 30
)

func state(_ context.Context, o Options) []Line {
	what := "state directory"
	info, err := os.Stat(o.State)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lines(doubtful(what, o.State+" is not there yet", "`runner start` makes it; name another with --state"))
	case err != nil:
		return lines(broken(what, err.Error(), "give the runner a directory that it may use, with --state"))
	case !info.IsDir():
		return lines(broken(what, o.State+" is no directory", "name one with --state"))
	case unix.Access(o.State, unix.W_OK) != nil:
		return lines(broken(what, o.State+" cannot be written to", "give it to the user that the runner runs as"))
	case info.Mode().Perm()&0o077 != 0:
		return append(lines(doubtful(what, fmt.Sprintf("%s is open to others (%v)", o.State, info.Mode().Perm()),
			"leases are in it: chmod 700 "+o.State)), disk(o)...)
	}
	return append(lines(good(what, o.State)), disk(o)...)
}

func disk(o Options) []Line {
	var fs unix.Statfs_t
	if err := unix.Statfs(o.State, &fs); err != nil {
		return lines(doubtful("disk", err.Error(), ""))
	}
	free := fs.Bavail * uint64(fs.Bsize)
	text := fmt.Sprintf("%d MB free for %s", free>>20, o.State)
	switch {
	case free < leastSpace:
		return lines(broken("disk", text, "make room: no run is taken with less than 256 MB (--min-disk)"))
	case free < fairSpace:
		return lines(doubtful("disk", text, "checkouts and homes of sessions need more than that soon"))
	case fs.Files > 0 && fs.Ffree < 10_000:
		return lines(doubtful("disk", fmt.Sprintf("%d inodes free", fs.Ffree), "remove small files: a checkout needs one for each of its own"))
	}
	return lines(good("disk", text))
}

// leastGit is what is tested; older ones may do.
var leastGit = [2]int{2, 39}

func gitVersion(ctx context.Context, _ Options) []Line {
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		return lines(broken("git", "git does not run: "+err.Error(), "install git: the worktree plug and every save of work need it"))
	}
	version := strings.TrimSpace(strings.TrimPrefix(string(out), "git version"))
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	if a < leastGit[0] || a == leastGit[0] && b < leastGit[1] {
		return lines(doubtful("git", version, fmt.Sprintf("Blaise is tested from %d.%d on: update it", leastGit[0], leastGit[1])))
	}
	return lines(good("git", version))
}

// daemonHere is no failure where none runs: it may be why somebody asks.
func daemonHere(ctx context.Context, o Options) []Line {
	s, err := daemon.StatusOf(ctx, o.State)
	switch {
	case err != nil:
		return lines(doubtful("daemon", words(err), hint(err)))
	case s.NotReady != "":
		return lines(broken("daemon", fmt.Sprintf("instance %s takes no runs: %s", s.Instance, s.NotReady), "mend what it names; the daemon goes on by itself"))
	case s.Trouble != "":
		return lines(doubtful("daemon", "the last call to Blaise failed: "+s.Trouble, "it tries on by itself"))
	}
	return lines(good("daemon", fmt.Sprintf("instance %s of version %s, %d of %d slots taken", s.Instance, s.Version, len(s.Runs), s.Slots)))
}

// docker is a warning where it is missing: configuration fails for the plugs
// that need it.
func docker(ctx context.Context, _ Options) []Line {
	e, err := engine.Dial(ctx, "")
	if err != nil {
		return lines(doubtful("docker", err.Error(), "only the plugs container and devcontainer need it"))
	}
	defer e.Close()
	text := fmt.Sprintf("engine %s at %s", e.Version, e.Host())
	if e.Remote {
		text += ", on another machine: checkouts go there as volumes"
	}
	return lines(good("docker", text))
}

// walls tries what a sandbox with no keys can enforce here.
func walls(ctx context.Context, _ Options) []Line {
	if runtime.GOOS != "linux" {
		return lines(doubtful("sandbox", "there is none on "+runtime.GOOS, "use the container plug"))
	}
	text, err := tryWalls(ctx)
	if err != nil {
		return append(lines(doubtful("sandbox", err.Error(), "docs/operations.md says what each kind needs; the plug sandbox fails here")), namespaces()...)
	}
	return append(lines(good("sandbox", text)), namespaces()...)
}

func tryWalls(ctx context.Context) (string, error) {
	p, err := plug.New(plug.NewSpec("sandbox", "", nil))
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "blaise-doctor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	return p.(plug.Checker).Check(ctx, &plug.Local{Dir: dir})
}

// switches are what systems forbid user namespaces with, and the value that
// forbids.
var switches = map[string]string{
	"/proc/sys/user/max_user_namespaces":                     "0",
	"/proc/sys/kernel/unprivileged_userns_clone":             "0",
	"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
}

func namespaces() []Line {
	for file, forbids := range switches {
		b, err := os.ReadFile(file)
		if err == nil && strings.TrimSpace(string(b)) == forbids && os.Getuid() != 0 {
			name := strings.ReplaceAll(strings.TrimPrefix(file, "/proc/sys/"), "/", ".")
			return lines(doubtful("user namespaces", "the system forbids them", "sysctl "+name+" is "+forbids+
				": without them a sandbox is weaker (landlock)"))
		}
	}
	if _, err := os.Stat("/proc/self/ns/user"); err != nil {
		return lines(doubtful("user namespaces", "the kernel has none", "without them a sandbox is weaker (landlock)"))
	}
	text := "not forbidden"
	if at, err := exec.LookPath("bwrap"); err == nil {
		text += ", bubblewrap is " + filepath.Clean(at)
	} else {
		text += "; there is no bubblewrap (bwrap), and none is needed"
	}
	return lines(good("user namespaces", text))
}
