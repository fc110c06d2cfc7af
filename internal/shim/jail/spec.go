package jail

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
)

// The drivers.
const (
	Bubblewrap = "bubblewrap"
	Namespaces = "namespaces"
	Landlock   = "landlock"
)

// The networks.
const (
	NetworkNone  = "none"  // nothing but a loopback device of its own
	NetworkHost  = "host"  // what the outer place has
	NetworkProxy = "proxy" // the proxy at Socket and nothing else
)

// InsideSocket is where the prisoner's shim finds the proxy, under the drivers
// that show it a file system of its own: a name that is short enough.
const InsideSocket = "/.blaise/proxy.sock"

// A Spec says what a prisoner may see and do. All paths are absolute, and the
// same inside as outside.
type Spec struct {
	Driver  string
	Dir     string   // where the command starts; "": Work
	Work    string   // writable
	Home    string   // writable
	Tmp     string   // shown as /tmp; under Landlock, which shows nothing, it is TMPDIR
	Etc     string   // copies of the settings that are shown as /etc: one mount, not one for each
	Shim    string   // the program that holds the shim
	Read    []string `json:",omitempty"` // more to see, where it is there
	Write   []string `json:",omitempty"` // more to see and change
	Hide    []string `json:",omitempty"` // never to see, wherever it lies
	Network string
	Socket  string   `json:",omitempty"` // of the proxy
	Port    int      `json:",omitempty"` // of the proxy, on 127.0.0.1 inside
	Keep    []string `json:",omitempty"` // names of variables to keep beside the harmless ones
	Group   string   `json:",omitempty"` // a control group to join, for PIDs
	PIDs    int      `json:",omitempty"` // the most processes; 0: no limit
	Nonce   string   `json:",omitempty"` // marks the relay's word in the output
}

// ParseSpec reads what Bytes wrote.
func ParseSpec(text string) (Spec, error) {
	var s Spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("read sandbox: %w", err)
	}
	paths := slices.Concat([]string{s.Work, s.Home, s.Tmp, s.Etc, s.Shim}, s.Read, s.Write, s.Hide)
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			return s, fmt.Errorf("read sandbox: path %q is not absolute", p)
		}
	}
	if s.Dir == "" {
		s.Dir = s.Work
	}
	return s, nil
}

// String is the spec as an argument. There are no secrets in it.
func (s Spec) String() string {
	b, _ := json.Marshal(s) // strings and numbers always can
	return string(b)
}

// OwnView says that the prisoner sees a file system of its own.
func (s Spec) OwnView() bool { return s.Driver != Landlock }
