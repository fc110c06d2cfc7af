package plug

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"blaise.dev/blaise/internal/shim"
)

// shimRoot is where the shims are inside, each in a directory of its own: those
// of one environment may come from several versions of the runner.
const shimRoot = "/.blaise"

// A shimFile is the program that is copied into a container.
type shimFile struct {
	path   string
	inside string
}

// findShim finds a shim that runs inside: the one that blaise.yml names, the
// small one beside this program, or this program itself.
func findShim(named string, host Place, arch string) (shimFile, error) {
	if named != "" {
		return asShim(hostPath(host, named), arch)
	}
	beside := filepath.Join(filepath.Dir(host.Shim), shim.SmallName)
	if f, err := asShim(beside, arch); err == nil {
		return f, nil
	}
	return asShim(host.Shim, arch)
}

// asShim looks that the file is a static Linux program for the architecture:
// an image has no libraries that could be counted on.
func asShim(path, arch string) (shimFile, error) {
	st, err := os.Stat(path)
	if err != nil {
		return shimFile{}, fmt.Errorf("find shim: %w", err)
	}
	if err := checkProgram(path, arch); err != nil {
		return shimFile{}, fmt.Errorf("%s cannot run inside: %w: build it with "+
			"CGO_ENABLED=0 GOOS=linux GOARCH=%s go build -o blaise-shim ./cmd/shim, and name it as shim", path, err, arch)
	}
	version := fmt.Sprintf("%x-%x", st.Size(), st.ModTime().UnixNano())
	return shimFile{path: path, inside: shimRoot + "/" + version + "/shim"}, nil
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

func checkProgram(path, arch string) error {
	f, err := elf.Open(path)
	if err != nil {
		return errors.New("it is no Linux program")
	}
	defer f.Close()
	if want, known := machines[arch]; known && f.Machine != want {
		return fmt.Errorf("it is for another processor than %s", arch)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return errors.New("it is not static")
		}
	}
	return nil
}
