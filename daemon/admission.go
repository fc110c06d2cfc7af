package daemon

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// An Admission says what must be there before a run is asked for; 0 for no
// such limit.
type Admission struct {
	Disk   uint64 // bytes free for the state directory
	Memory uint64 // bytes available
	// Plugs is the first reason why the plugs of blaise.yml could not open here;
	// nil looks at none. It is asked before every poll.
	Plugs func(context.Context) error
}

// plugsWithin is how long the plugs may take to answer.
const plugsWithin = 5 * time.Second

// unfit is why the instance should take no run now, "" if it should.
func (d *Daemon) unfit(ctx context.Context) string {
	if why := d.breaker.open(time.Now()); why != "" {
		return why
	}
	if why := d.c.Admission.refuses(d.state.dir); why != "" || d.c.Admission.Plugs == nil {
		return why
	}
	within, cancel := context.WithTimeout(ctx, plugsWithin)
	defer cancel()
	if err := d.c.Admission.Plugs(within); err != nil && ctx.Err() == nil {
		return err.Error()
	}
	return ""
}

// admit looks whether runs may be taken, and has Blaise know if that has
// changed.
func (d *Daemon) admit(ctx context.Context, link *link) error {
	why := d.unfit(ctx)
	d.mu.Lock()
	was := d.paused
	d.paused = why
	d.mu.Unlock()
	if why == was {
		return nil
	}
	if why != "" {
		d.log.Warn("no runs are taken but teardowns", "why", why)
	} else {
		d.log.Info("runs are taken again")
	}
	return link.try(ctx, d.greet)
}

// hurry is true while the instance is paused: it looks again soon.
func (d *Daemon) hurry() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.paused != ""
}

func (a Admission) refuses(dir string) string {
	if free, ok := diskFree(dir); a.Disk > 0 && ok && free < a.Disk {
		return fmt.Sprintf("%s are free on the disk of %s, and %s are wanted (--min-disk)",
			mega(free), dir, mega(a.Disk))
	}
	if free, ok := memory(); a.Memory > 0 && ok && free < a.Memory {
		return fmt.Sprintf("%s of memory are available, and %s are wanted (--min-memory)",
			mega(free), mega(a.Memory))
	}
	return ""
}

// diskFree is how many bytes the disk of dir has left; false where it does not
// say.
func diskFree(dir string) (uint64, bool) {
	var fs unix.Statfs_t
	err := unix.Statfs(dir, &fs)
	return fs.Bavail * uint64(fs.Bsize), err == nil
}

func mega(bytes uint64) string { return strconv.FormatUint(bytes>>20, 10) + " MB" }

// memory is what the kernel says is available; false where it does not say.
func memory() (uint64, bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:")
		if !ok {
			continue
		}
		kb, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		return kb << 10, err == nil
	}
	return 0, false
}
