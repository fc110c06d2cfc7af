//go:build !linux

package git

func holds(string) (held, sure bool) { return false, false }
