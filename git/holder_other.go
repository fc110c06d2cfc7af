//go:build !linux

package git

func holds(string) (held, sure bool) { return false, false }

func worked(string) (busy, sure bool) { return false, false }
