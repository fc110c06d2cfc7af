package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// agents are the process ids of the demo agents that run below a data folder.
func agents(data string) []string {
	var found []string
	for pid, args := range processes() {
		words := strings.Fields(args)
		if len(words) > 1 && strings.HasPrefix(words[0], data) && words[1] == "demo-agent" {
			found = append(found, pid)
		}
	}
	return found
}

// killBelow ends what still runs from a data folder.
func killBelow(data string) {
	for pid, args := range processes() {
		n, err := strconv.Atoi(pid)
		if err == nil && strings.HasPrefix(args, data+"/") {
			_ = syscall.Kill(n, syscall.SIGKILL) // gone already is as good
		}
	}
}

// processes are all that can be seen, by their id: from /proc, else from ps.
func processes() map[string]string {
	all := map[string]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		if args, err := os.ReadFile(filepath.Join(d, "cmdline")); err == nil {
			all[filepath.Base(d)] = strings.ReplaceAll(string(args), "\x00", " ")
		}
	}
	if len(all) > 0 {
		return all
	}
	out, _ := exec.Command("ps", "-ax", "-o", "pid=,command=").Output() // none: nothing is seen
	for line := range strings.SplitSeq(string(out), "\n") {
		pid, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[pid] = args
	}
	return all
}
