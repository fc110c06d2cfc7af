package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A clock sets the wall clock of one process wrong from outside, as setting the
// machine's own would for all: in the memory of that process it puts another
// function in the place of the kernel's clock_gettime (the vDSO), which asks the
// kernel and adds seconds to CLOCK_REALTIME. The other clocks stay right, and
// the program knows nothing of it.
type clock struct {
	vdso  []byte // this kernel's, the same in every process
	entry int64  // of clock_gettime in it
}

// wrongClock is the function, in the words of amd64; the seconds follow it.
var wrongClock = []byte{
	0xb8, 0xe4, 0, 0, 0, //       mov eax, SYS_clock_gettime
	0x0f, 0x05, //                syscall
	0x85, 0xff, //                test edi, edi; CLOCK_REALTIME is 0
	0x75, 0x0a, //                jne done
	0x48, 0x8b, 0x15, 6, 0, 0, 0, // mov rdx, [seconds]
	0x48, 0x01, 0x16, //          add [rsi], rdx
	0xc3, 0x90, 0x90, //    done: ret
}

// newClock looks whether clocks can be set wrong here.
func newClock() (*clock, error) {
	if runtime.GOARCH != "amd64" {
		return nil, errors.New("it is done with machine code of amd64")
	}
	from, size, err := vdsoOf(os.Getpid())
	if err != nil {
		return nil, err
	}
	c := &clock{vdso: make([]byte, size)}
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	if _, err := mem.ReadAt(c.vdso, from); err != nil {
		return nil, err
	}
	file, err := elf.NewFile(bytes.NewReader(c.vdso))
	if err != nil {
		return nil, err
	}
	symbols, err := file.DynamicSymbols()
	for _, s := range symbols {
		if s.Name == "__vdso_clock_gettime" && s.Size >= uint64(len(wrongClock)+8) {
			c.entry = int64(s.Value)
			// The same again, to see whether this kernel lets it be written.
			_, err := mem.WriteAt(c.vdso[c.entry:][:len(wrongClock)], from+c.entry)
			return c, err
		}
	}
	return nil, fmt.Errorf("no clock_gettime in the vDSO: %w", errors.Join(err, errors.ErrUnsupported))
}

// wind makes ready what jump needs, where it is asked for and can be had.
func (w *world) wind() {
	if !w.o.faults[faultClock] {
		return
	}
	var err error
	if w.clock, err = newClock(); err != nil {
		w.o.out("no clock is set wrong: %v", err)
	}
}

// vdsoOf says where the vDSO of a process is, and how long.
func vdsoOf(pid int) (from, size int64, err error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(maps)) {
		if strings.HasSuffix(strings.TrimSpace(line), "[vdso]") {
			var to int64
			_, err = fmt.Sscanf(line, "%x-%x", &from, &to)
			return from, to - from, err
		}
	}
	return 0, 0, fmt.Errorf("process %d has no vDSO", pid)
}

// set has the wall clock of a process go wrong by so much, 0 for right again.
// The process is stopped for it: nobody may be inside what is replaced.
func (c *clock) set(pid int, wrong time.Duration) error {
	from, _, err := vdsoOf(pid)
	if err != nil {
		return err
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	text := binary.LittleEndian.AppendUint64(bytes.Clone(wrongClock), uint64(int64(wrong/time.Second)))
	for range 100 {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			return err
		}
		outside := c.outside(pid, from)
		if outside {
			_, err = mem.WriteAt(text, from+c.entry)
		}
		_ = syscall.Kill(pid, syscall.SIGCONT) // it was there a moment ago
		if outside {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("process %d does not leave its vDSO", pid)
}

// outside says that every thread of a process is stopped, and none in the vDSO.
func (c *clock) outside(pid int, from int64) bool {
	end := time.Now().Add(time.Second)
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	for _, path := range threads {
		words := []string{"running"}
		for words[0] == "running" && time.Now().Before(end) {
			raw, _ := os.ReadFile(path) // a thread that is gone is nowhere
			words = append(strings.Fields(string(raw)), "")
		}
		pc, _ := strconv.ParseInt(words[max(0, len(words)-2)], 0, 64)
		if words[0] == "running" || pc >= from && pc < from+int64(len(c.vdso)) {
			return false
		}
	}
	return len(threads) > 0
}

// jump sets the clock of the control plane wrong for a while, or that of a
// daemon: by more than what Blaise calls a small step, and by less or more than
// what its clocks run.
func (w *world) jump(chance *rand.Rand) {
	p := []*program{w.plane, w.plane, w.runner[0], w.runner[1]}[chance.IntN(2+len(w.runner))]
	by := time.Duration(15+chance.IntN(60)) * time.Second
	if chance.IntN(2) == 0 {
		by = time.Duration(1+chance.IntN(120)) * time.Minute
	}
	if chance.IntN(2) == 0 {
		by = -by
	}
	length := time.Duration(500+chance.IntN(5000)) * time.Millisecond
	w.diary.write(0, "FAULT the clock of %s is set by %s for %s", p.name, by, length)
	w.f.count("fault: "+string(faultClock), 1)
	err := w.clock.set(p.pid(), by)
	time.Sleep(length)
	err = errors.Join(err, w.clock.set(p.pid(), 0))
	w.diary.write(0, "the clock of %s is right again: %v", p.name, err)
	if err != nil {
		w.f.violation("set the clock of " + p.name + ": " + err.Error())
	}
}
