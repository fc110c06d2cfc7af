package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path"
	"path/filepath"
	"time"
)

// beside are the files of the repository that go along with the programs.
var beside = []string{"LICENSE", "README.md", "CHANGELOG.md", "blaise.yml.example", "agent.yml.example"}

// archive is a tar, compressed, of a folder of this name with the programs.
func (r *release) archive(programsIn, name string) ([]byte, error) {
	t := newTarball(r.at)
	t.folder(name + "/")
	for _, p := range programs {
		t.file(path.Join(name, p.name), filepath.Join(programsIn, p.name), 0o755)
	}
	for _, f := range beside {
		t.file(path.Join(name, f), f, 0o644)
	}
	return t.zipped()
}

// A tarball is a tar whose bytes follow from what is put into it, and from
// nothing else. The first error is kept until the end.
type tarball struct {
	at  time.Time
	out bytes.Buffer
	tar *tar.Writer
	err error
}

func newTarball(at time.Time) *tarball {
	t := &tarball{at: at}
	t.tar = tar.NewWriter(&t.out)
	return t
}

func (t *tarball) folder(name string) {
	t.put(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o755}, nil)
}

func (t *tarball) file(name, from string, mode int64) {
	content, err := os.ReadFile(from)
	t.err = errors.Join(t.err, err)
	t.put(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode}, content)
}

func (t *tarball) put(h *tar.Header, content []byte) {
	if t.err != nil {
		return
	}
	h.ModTime, h.Size, h.Format = t.at, int64(len(content)), tar.FormatPAX
	if t.err = t.tar.WriteHeader(h); t.err == nil {
		_, t.err = t.tar.Write(content)
	}
}

// plain is the whole tar.
func (t *tarball) plain() ([]byte, error) {
	err := errors.Join(t.err, t.tar.Close())
	return t.out.Bytes(), err
}

func (t *tarball) zipped() ([]byte, error) {
	plain, err := t.plain()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(plain)
	err = errors.Join(err, z.Close()) // writes the rest
	return out.Bytes(), err
}
