package shim

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// The kinds of frames of a stream. A frame is its kind, the length of what it
// carries in four bytes, big endian, and that.
const (
	frameStart = 's' // to the shim, first: an order to start, as JSON
	frameLine  = 'l' // one line of the control socket, either way
	frameTaken = 'a' // a lane, and how many bytes of it were taken, in four bytes
	frameData  = 'd' // a lane, and data of it; no data is its end
)

// frameLimit holds every frame: data comes in chunks, a start has the
// environment and the arguments, which the kernel limits too.
const frameLimit = 8 << 20

func appendFrame(b []byte, kind byte, parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	b = append(b, kind)
	b = binary.BigEndian.AppendUint32(b, uint32(size))
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// readFrame answers io.EOF only between two frames.
func readFrame(r *bufio.Reader) (kind byte, body []byte, err error) {
	kind, err = r.ReadByte()
	if err != nil {
		return 0, nil, err
	}
	if !strings.ContainsRune("slad", rune(kind)) {
		return 0, nil, noFrame(r, kind)
	}
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return 0, nil, fmt.Errorf("read stream: %w", io.ErrUnexpectedEOF)
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > frameLimit {
		return 0, nil, noFrame(r, append([]byte{kind}, size[:]...)...)
	}
	body = make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, nil, fmt.Errorf("read stream: %w", io.ErrUnexpectedEOF)
	}
	return kind, body, nil
}

// noFrame quotes what came: it may be what another program had to say instead.
func noFrame(r *bufio.Reader, begin ...byte) error {
	rest, _ := r.Peek(min(r.Buffered(), 200))
	return fmt.Errorf("read stream: this is no shim: %q", append(begin, rest...))
}
