package shim

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"blaise.dev/blaise/internal/shim/jail"
)

// probeVerb serves "probe SPEC": it makes a sandbox with each driver, up to the
// first that works, or with the spec's own alone.
func probeVerb(args []string) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: shim probe SPEC")
		return 2
	}
	spec, err := jail.ParseSpec(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "shim probe:", err)
		return 2
	}
	if err := spec.CopySettings(); err != nil {
		fmt.Fprintln(os.Stderr, "shim probe:", err)
		return 1
	}
	found := Probe{LandlockABI: jail.LandlockABI(), Root: os.Getuid() == 0}
	found.Groups, err = jail.FindGroups()
	if err != nil {
		found.GroupsWhy = err.Error()
	}
	drivers := []string{spec.Driver}
	if spec.Driver == "" {
		drivers = []string{jail.Bubblewrap, jail.Namespaces, jail.Landlock}
	}
	for _, d := range drivers {
		spec.Driver = d
		t := Trial{Driver: d}
		if err := try(spec); err != nil {
			t.Why = err.Error()
		}
		if found.Tried = append(found.Tried, t); t.Why == "" {
			break
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		return 1
	}
	return 0
}

// try makes the sandbox once, for a command that does nothing.
func try(spec jail.Spec) error {
	switch {
	case spec.Driver == jail.Landlock && jail.LandlockABI() == 0:
		return fmt.Errorf("the kernel has no Landlock")
	case spec.Driver == jail.Bubblewrap:
		if _, err := exec.LookPath("bwrap"); err != nil {
			return fmt.Errorf("bwrap is not installed")
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := exec.Command(self, "shim", "sandbox", spec.String(), "--", spec.Shim, "shim", "get", "/", "/").CombinedOutput()
	_, line, said := strings.Cut(string(out), Word(spec.Nonce))
	line, _, _ = strings.Cut(line, "\n")
	switch verb, why, _ := strings.Cut(line, " "); {
	case !said:
		return fmt.Errorf("%w: %s", err, oneLine(string(out)))
	case verb == "error":
		_, why, _ = strings.Cut(why, " ")
		return errors.New(why)
	}
	return nil // that there is nothing to get is no matter
}
