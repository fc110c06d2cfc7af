//go:build !linux

package plug_test

func prisoner() {} // there are no sandboxes here
