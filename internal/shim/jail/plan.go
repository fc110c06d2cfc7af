package jail

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A step is one thing to put into the prisoner's file system, in order: a later
// one lies over an earlier one.
type step struct {
	kind string // bind, link, dir, empty
	from string // bind: what; link: where it leads
	to   string
	rw   bool
}

const (
	bind  = "bind"
	link  = "link"
	dir   = "dir"   // a directory on the root, which is made read-only at last
	empty = "empty" // nothing to see: an empty read-only directory, or an empty file
)

// system is what a program needs of the system: nobody's files.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix"}

// settings are the files of /etc that programs need, and that hold no secrets:
// shadow, private keys and the like are not to be seen, though the prisoner may
// be root to the kernel.
var settings = []string{
	"alternatives", "bash.bashrc", "bash_completion.d", "ca-certificates", "ca-certificates.conf",
	"crypto-policies", "debian_version", "fonts", "gai.conf", "gitconfig", "group", "host.conf", "hosts",
	"inputrc", "java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "ld.so.cache", "ld.so.conf",
	"ld.so.conf.d", "locale.alias", "localtime", "lsb-release", "magic", "mime.types",
	"nsswitch.conf", "os-release", "passwd", "pki/tls/certs", "pki/ca-trust", "profile", "profile.d",
	"protocols", "python3", "resolv.conf", "services", "shells", "ssl/certs", "ssl/cert.pem",
	"ssl/openssl.cnf", "terminfo", "timezone", "vim",
}

// kernelKnobs are files of /proc that root may write without any capability,
// and which change the machine: a core_pattern is a program that runs outside.
var kernelKnobs = []string{"sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"}

// plan is what the prisoner sees. It looks at what is there, now.
func (s Spec) plan() []step {
	steps := append(systemSteps(), step{kind: bind, from: s.Etc, to: "/etc"},
		step{kind: bind, from: s.Tmp, to: "/tmp", rw: true})
	for _, p := range s.Read {
		steps = addBind(steps, p, false)
	}
	if !s.hides(s.Home) {
		steps = addBind(steps, s.Home, true)
	}
	for _, p := range s.Write {
		steps = addBind(steps, p, true)
	}
	hidden := s.hidden()
	steps = addHidden(steps, hidden)
	for _, p := range s.Read { // what is to be read lies over a home that is writable
		if under(s.Home, p) {
			steps = addBind(steps, p, false)
		}
	}
	if s.hides(s.Home) {
		steps = addBind(steps, s.Home, true)
	}
	steps = addBind(steps, s.Work, true)
	steps = addHiddenBelow(steps, hidden, s.Work)
	steps = append(steps, step{kind: bind, from: s.Shim, to: s.Shim})
	if s.Network == NetworkProxy {
		steps = append(steps, step{kind: bind, from: s.Socket, to: InsideSocket})
	}
	return steps
}

// hides says that the path lies in what is not to be seen.
func (s Spec) hides(path string) bool {
	return slices.ContainsFunc(s.Hide, func(p string) bool { return under(p, path) })
}

func systemSteps() []step {
	var steps []step
	for _, p := range system {
		st, err := os.Lstat(p)
		if err != nil {
			continue
		}
		if st.Mode()&os.ModeSymlink != 0 {
			to, err := os.Readlink(p)
			if err == nil {
				steps = append(steps, step{kind: link, from: to, to: p})
			}
			continue
		}
		steps = append(steps, step{kind: bind, from: p, to: p})
	}
	return append(steps, step{kind: dir, to: "/run"}, step{kind: dir, to: "/var/tmp"})
}

// addBind shows a path under its own name, if it is there.
func addBind(steps []step, path string, rw bool) []step {
	if _, err := os.Stat(path); err != nil {
		return steps
	}
	return append(steps, step{kind: bind, from: path, to: path, rw: rw})
}

// hidden is what of Hide is there, without links.
func (s Spec) hidden() []string {
	var all []string
	for _, p := range s.Hide {
		if real, ok := realPath(p); ok {
			all = append(all, real)
		}
	}
	return all
}

// realPath is where a path leads, if it is there. Most that are looked for are
// not, and one look is enough for that.
func realPath(path string) (string, bool) {
	if _, err := os.Lstat(path); err != nil {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

// addHidden covers what is not to be seen of what the steps show. The
// directories above it become mount points, or the prisoner could move them
// away and put others in their place, for others to fall for.
func addHidden(steps []step, hidden []string) []step {
	for _, p := range hidden {
		shown := shownBy(steps, p)
		if shown.to == "" {
			continue
		}
		steps = addEmpty(steps, shown.to, p, shown.rw)
	}
	return steps
}

// addHiddenBelow is addHidden for what lies below one directory.
func addHiddenBelow(steps []step, hidden []string, root string) []step {
	for _, p := range hidden {
		if p != root && under(root, p) {
			steps = addEmpty(steps, root, p, true)
		}
	}
	return steps
}

func addEmpty(steps []step, root, path string, rw bool) []step {
	for _, above := range between(root, path) {
		steps = append(steps, step{kind: bind, from: above, to: above, rw: rw})
	}
	return append(steps, step{kind: empty, to: path})
}

// shownBy is the last bind that shows the path.
func shownBy(steps []step, path string) step {
	for _, st := range slices.Backward(steps) {
		if st.kind == bind && st.from == st.to && st.to != path && under(st.to, path) {
			return st
		}
	}
	return step{}
}

// between are the directories below root and above path, from above.
func between(root, path string) []string {
	var all []string
	for d := filepath.Dir(path); d != root && under(root, d); d = filepath.Dir(d) {
		all = append(all, d)
	}
	slices.Reverse(all)
	return all
}

func under(root, path string) bool {
	return path == root || root == "/" || strings.HasPrefix(path, root+"/")
}

// Prepare makes the directories that are the prisoner's own.
func (s Spec) Prepare() error {
	var errs []error
	for _, p := range []string{s.Home, s.Tmp} {
		errs = append(errs, os.MkdirAll(p, 0o700))
	}
	return errors.Join(errs...)
}
