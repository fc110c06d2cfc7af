// Package bundle writes what lets somebody else see what is wrong with a
// program: one archive of texts, out of which secrets are taken. `runner doctor
// --bundle` and `blaise support-bundle` fill it.
package bundle

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"blaise.dev/blaise/redact"
)

// A Bundle is an archive that is being written. It is one goroutine's.
type Bundle struct {
	file    *os.File
	zip     *gzip.Writer
	tar     *tar.Writer
	secrets *redact.Redactor
	at      time.Time
	errs    []error
}

// Create begins the archive in a file of its own, for its owner alone. The
// values of variables whose names speak of secrets are known to it, and the
// passwords of URLs in all of them; Hide adds others, before what may hold them is written.
func Create(path string) (*Bundle, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	zip := gzip.NewWriter(f)
	b := &Bundle{file: f, zip: zip, tar: tar.NewWriter(zip), secrets: redact.New(), at: time.Now()}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if b.hideUsers(value); secretName(name) {
			b.Hide(value)
			b.hideParts(value)
		}
	}
	b.Text("environment.txt", names(os.Environ()))
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Text("build.txt", info.String())
	}
	return b, nil
}

// Hide takes a value out of all that is written from now on.
func (b *Bundle) Hide(value string) { b.secrets.Add(strings.TrimSpace(value)) }

// Text adds a file of that text. What goes wrong Close says.
func (b *Bundle) Text(name, text string) {
	text = b.secrets.String(text)
	err := b.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text)), ModTime: b.at})
	if err == nil {
		_, err = io.WriteString(b.tar, text)
	}
	b.failed(name, err)
}

// JSON adds a file of a value.
func (b *Bundle) JSON(name string, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		b.failed(name, err)
		return
	}
	b.Text(name, string(text)+"\n")
}

// tail is how much is taken of the end of a log.
const tail = 256 << 10

// Tail adds the end of a file; one that is not there is left out.
func (b *Bundle) Tail(name, path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tail {
		_, err = f.Seek(-tail, io.SeekEnd)
		b.failed(name, err)
	}
	text, err := io.ReadAll(io.LimitReader(f, tail))
	b.failed(name, err)
	b.Text(name, string(text))
}

func (b *Bundle) failed(name string, err error) {
	if err != nil {
		b.errs = append(b.errs, fmt.Errorf("write %s: %w", name, err))
	}
}

// Close ends the archive. After an error it is not to be used.
func (b *Bundle) Close() error {
	return errors.Join(errors.Join(b.errs...), b.tar.Close(), b.zip.Close(), b.file.Close())
}

// names are those of variables, without their values.
func names(environ []string) string {
	var all []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		all = append(all, name)
	}
	slices.Sort(all)
	return "# Names of the variables that are set. No values.\n" + strings.Join(all, "\n") + "\n"
}
