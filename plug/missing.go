package plug

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A needer is a plug that needs something of the runner's machine before it can
// open.
type needer interface {
	missing(host Place) []string
}

// Missing says in words what p needs on this machine and does not find, where
// paths are relative to dir. It opens nothing and asks no provider.
func Missing(p Plug, dir string) []string {
	n, ok := p.(needer)
	if !ok {
		return nil
	}
	return n.missing((&Local{Dir: dir}).Place())
}

// missing says why the program of a command cannot be run: that of a shell line
// only where it begins with a path.
func (c commandLine) missing(host Place) (why string) {
	word := c[0]
	if len(c) == 3 && word == "sh" && c[1] == "-c" {
		if first := strings.Fields(c[2])[0]; strings.ContainsRune(first, filepath.Separator) {
			word = first
		}
	}
	if strings.ContainsAny(word, "$`\"'~") {
		return "" // the shell's to tell
	}
	if strings.ContainsRune(word, filepath.Separator) {
		switch st, err := os.Stat(hostPath(host, word)); {
		case err != nil || st.IsDir():
			return fmt.Sprintf("program %q is not found", word)
		case st.Mode()&0o111 == 0:
			return fmt.Sprintf("program %q is not executable: chmod +x %s", word, word)
		}
		return ""
	}
	if _, err := exec.LookPath(word); err != nil {
		return fmt.Sprintf("program %q is not found", word)
	}
	return ""
}
