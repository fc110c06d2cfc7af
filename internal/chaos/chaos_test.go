package main

import (
	"testing"
	"time"
)

// The short form of `make chaos`: every kind of fault that needs no root, few
// lives.
func TestChaos(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	t.Parallel()
	o, err := parse([]string{"-lives", "20", "-seed", "7", "-for", "30s", "-every", "3s", "-at-once", "5"})
	if err != nil {
		t.Fatal(err)
	}
	o.out = t.Logf
	began := time.Now()
	f, err := chaos(t.Context(), o)
	t.Logf("%s\n%s", time.Since(began).Round(time.Second), f.table())
	if err != nil || f.violated() > 0 {
		t.Fatalf("%d violations, %v", f.violated(), err)
	}
}

func TestFaultsAreChosen(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-faults", "wire,daemon"})
	if err != nil || !o.faults[faultWire] || !o.faults[faultDaemon] || o.faults[faultPlane] {
		t.Errorf("got %v, %v", o.faults, err)
	}
	if o, err = parse(nil); err != nil || !o.faults[faultPlane] || !o.faults[faultDisk] {
		t.Errorf("by default: got %v, %v", o.faults, err)
	}
	if o, err = parse([]string{"-faults", "none"}); err != nil || o.faults[faultWire] {
		t.Errorf("none: got %v, %v", o.faults, err)
	}
	if _, err = parse([]string{"-faults", "fire"}); err == nil {
		t.Error("fire is taken for a fault")
	}
}
