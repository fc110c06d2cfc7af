package git

import "syscall"

// dieWithParent ends git when the run is killed; TERM, so that it removes its
// lock files.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
}
