package daemon

import (
	"cmp"
	"os"
	"slices"

	"blaise.dev/blaise"
)

// live counts the children, and the runs that ended and are not settled; the
// channel tells of a change.
func (d *Daemon) live() (children, burials int, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.children), d.burials, d.changed
}

// Live is how many runs have a process now.
func (d *Daemon) Live() int {
	n, _, _ := d.live()
	return n
}

// rows are those of the children, in the order of their runs.
func (d *Daemon) rows() []*row {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]*row, 0, len(d.children))
	for _, c := range d.children {
		all = append(all, c.row)
	}
	slices.SortFunc(all, func(a, b *row) int { return cmp.Compare(a.Run, b.Run) })
	return all
}

// free is how many runs there is room for.
func (d *Daemon) free() (n int, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return max(0, d.about.Slots-len(d.children)), d.changed
}

// add takes a child in. One that was born while the others were interrupted is
// interrupted too.
func (d *Daemon) add(c *child) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.children[c.row.Run] = c
	if d.interrupted {
		d.signalLocked(c, os.Interrupt)
	}
	d.changeLocked()
}

// remove lets a child go; what is left to say of its run is a burial.
func (d *Daemon) remove(c *child) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.children, c.row.Run)
	d.burials++
	d.changeLocked()
}

func (d *Daemon) buried(outcome error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.burials--
	if d.c.Once {
		d.outcome = outcome
	}
	d.changeLocked()
}

func (d *Daemon) changeLocked() {
	close(d.changed)
	d.changed = make(chan struct{})
}

func (d *Daemon) signalAll(sig os.Signal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.interrupted = d.interrupted || sig == os.Interrupt // those that are still being born too
	for _, c := range d.children {
		d.signalLocked(c, sig)
	}
}

func (d *Daemon) signalLocked(c *child, sig os.Signal) {
	if err := c.signal(sig); err != nil {
		d.log.Warn("run not signalled", "run", c.row.Run, "error", err)
	}
}

func (d *Daemon) child(run blaise.RunID) (*child, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok := d.children[run]
	if !ok {
		return nil, blaise.Errorf(blaise.CodeNotFound, "run %s does not run here", run).
			WithHint("see `runner runs list`")
	}
	return c, nil
}
