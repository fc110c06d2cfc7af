package shim_test

import (
	stdcontext "context"
	"os"
)

func context() stdcontext.Context { return stdcontext.Background() }

func self() string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exe
}
