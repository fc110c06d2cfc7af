package main

import (
	"math/rand/v2"
	"os"
	"syscall"
	"time"
)

// mount gives the first runner a small disk for its state, where root may.
func (w *world) mount() {
	if !w.o.faults[faultDisk] {
		return
	}
	if err := syscall.Mount("none", w.state(0), "tmpfs", 0, "size=96m"); err != nil {
		w.o.out("no full disk: a small file system cannot be mounted: %v", err)
		return
	}
	w.small = w.state(0)
}

func (w *world) unmount() {
	if w.small != "" {
		_ = syscall.Unmount(w.small, syscall.MNT_DETACH) // the directory is temporary
	}
}

// fillDisk takes all the space there is, for a while.
func (w *world) fillDisk(chance *rand.Rand) {
	length := time.Duration(300+chance.IntN(2500)) * time.Millisecond
	path := w.small + "/ballast"
	f, err := os.Create(path)
	if err != nil {
		return
	}
	for block := make([]byte, 64<<10); ; {
		if _, err := f.Write(block); err != nil {
			break
		}
	}
	_ = f.Close() // it is full
	w.diary.write(0, "FAULT the disk of runner0 is full for %s", length)
	w.f.count("fault: disk", 1)
	time.Sleep(length)
	_ = os.Remove(path)
	w.diary.write(0, "the disk of runner0 has space again")
}
