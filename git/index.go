package git

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
)

// The layout of an index of version 2 with SHA-1, and what flags may say.
const (
	indexHeader   = 12
	indexMode     = 24 // in an entry, after the times and ids of the file
	indexFlags    = 60
	indexPath     = 62
	indexSum      = 20
	assumeAndMore = 0xf000 // assume-valid, extended, stage
)

// plainIndex reports whether the copy of the index is of the usual sort: only
// files and links, none flagged and none in conflict. Then there is nothing in
// it that git would have to list first. Whatever is not known here is not plain.
func (h *hostile) plainIndex() bool {
	b, err := os.ReadFile(filepath.Join(h.dir, "index"))
	if err != nil || h.wide || len(b) < indexHeader+indexSum ||
		!bytes.HasPrefix(b, []byte("DIRC\x00\x00\x00\x02")) {
		return false
	}
	count := binary.BigEndian.Uint32(b[8:])
	rest := b[indexHeader : len(b)-indexSum]
	for ; count > 0; count-- {
		if len(rest) <= indexPath {
			return false
		}
		kind := binary.BigEndian.Uint32(rest[indexMode:]) >> 12
		flags := binary.BigEndian.Uint16(rest[indexFlags:])
		end := bytes.IndexByte(rest[indexPath:], 0)
		if kind != 0o10 && kind != 0o12 || flags&assumeAndMore != 0 || end < 0 {
			return false
		}
		size := (indexPath + end + 8) &^ 7 // one to eight zeros follow the path
		if size > len(rest) {
			return false
		}
		rest = rest[size:]
	}
	return !bytes.HasPrefix(rest, []byte("link")) && !bytes.HasPrefix(rest, []byte("sdir"))
}
