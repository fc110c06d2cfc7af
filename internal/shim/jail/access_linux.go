package jail

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// LandlockABI is the version of Landlock that the kernel has, 0 for none.
func LandlockABI() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// scopeABI is the version from which signals and abstract sockets are kept in.
const scopeABI = 6

// restrictAccess refuses what Landlock can refuse: beside a view of its own, to
// signal and to reach abstract sockets outside; without one, all files that
// the plan would not show.
func (s Spec) restrictAccess() error {
	if LandlockABI() >= scopeABI {
		if err := restrict(landlock.Config{Scoped: landlock.V6.Scoped}); err != nil {
			return fmt.Errorf("keep signals and sockets in: %w", err)
		}
	}
	if s.OwnView() {
		return nil
	}
	if err := restrict(landlock.Config{HandledAccessFS: landlock.V5.HandledAccessFS}.BestEffort(), s.rules()...); err != nil {
		return fmt.Errorf("restrict files: %w", err)
	}
	if s.Network != NetworkProxy {
		return nil
	}
	if err := restrict(landlock.Config{HandledAccessNet: landlock.V4.HandledAccessNet}, landlock.ConnectTCP(uint16(s.Port))); err != nil {
		return fmt.Errorf("restrict network: %w", err)
	}
	return nil
}

// restrict binds the calling thread and what it starts, which has given up new
// privileges and is kept. To bind the threads of a process together would have
// the kernel stop them all, and those that start nothing need no bonds.
func restrict(c landlock.Config, rules ...landlock.Rule) error {
	fd, flags, err := c.NewRulesetFD(rules...)
	if err != nil || fd < 0 {
		return err
	}
	defer unix.Close(fd)
	return ll.LandlockRestrictSelf(fd, flags)
}

func (s Spec) rules() []landlock.Rule {
	var rules []landlock.Rule
	add := func(path string, rw bool) {
		st, err := os.Stat(path)
		switch {
		case err != nil:
		case rw && st.IsDir():
			rules = append(rules, landlock.RWDirs(path).WithRefer())
		case rw:
			rules = append(rules, landlock.RWFiles(path).WithIoctlDev())
		case st.IsDir():
			rules = append(rules, landlock.RODirs(path))
		default:
			rules = append(rules, landlock.ROFiles(path))
		}
	}
	for _, st := range systemSteps() {
		if st.kind == bind {
			add(st.from, false)
		}
	}
	for _, name := range settings {
		if real, ok := realPath(filepath.Join("/etc", name)); ok {
			add(real, false)
		}
	}
	add("/proc", false)
	for _, name := range harmlessDevices {
		add("/dev/"+name, true)
	}
	hidden := s.hidden()
	for _, p := range append(slices.Clone(s.Read), s.Shim) {
		s.open(p, false, hidden, add)
	}
	for _, p := range append(slices.Clone(s.Write), s.Home, s.Tmp, s.Work) {
		s.open(p, true, hidden, add)
	}
	return rules
}

// open allows a path but what is hidden below: there each entry is allowed by
// itself, for Landlock takes nothing away again. New entries beside what is
// hidden cannot be made then.
func (s Spec) open(path string, rw bool, hidden []string, add func(string, bool)) {
	real, ok := realPath(path)
	if !ok {
		return
	}
	holds := func(p string) bool { return p != real && under(real, p) && !under(p, path) }
	if !slices.ContainsFunc(hidden, holds) {
		add(real, rw)
		return
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return
	}
	for _, e := range entries {
		child := filepath.Join(real, e.Name())
		if e.Type()&os.ModeSymlink == 0 && !s.hides(child) {
			s.open(child, rw, hidden, add)
		}
	}
}
