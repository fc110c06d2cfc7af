package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
)

const (
	// readBuffer is what a Linux pipe holds, and holds nearly every line whole;
	// a longer one gets memory of its own, which goes with the line.
	readBuffer = 64 << 10
	// gapHead is enough to find method and id in front of the params, gapTail
	// to find the id that some agents (codex-acp 0.16) write last.
	gapHead = 4 << 10
	gapTail = 256
)

// Gap tells of a line that was longer than Options.MaxLine and was skipped.
type Gap struct {
	// Size of the line in bytes, without its newline.
	Size int64
	// Head is the first 256 bytes of it.
	Head []byte
	// Method and ID are what was seen of them; both may be empty.
	Method string
	ID     json.RawMessage

	answers bool // it has a result or an error
}

// lines is what the reader hands over at once: whole lines with their newlines,
// or a gap, or why there is no more. Only the last line of all may lack its
// newline.
type lines struct {
	raw []byte
	gap *Gap
	err error
	// handled is closed by the dispatcher, if not nil.
	handled chan struct{}
}

// lineReader cuts a stream into lines. What it gives has memory of its own.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, longest int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBuffer), max: longest}
}

// next waits for a line and returns it with all those that are there already.
// A last line without newline counts; the error comes with the call after it.
func (l *lineReader) next() (lines, error) {
	first, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return l.long(first)
	}
	if err != nil && len(first) == 0 {
		return lines{}, err
	}
	more, _ := l.r.Peek(l.r.Buffered()) // what is buffered can be had
	more = more[:bytes.LastIndexByte(more, '\n')+1]
	raw := slices.Concat(first, more)
	_, _ = l.r.Discard(len(more))
	return lines{raw: raw}, nil
}

func (l *lineReader) long(chunk []byte) (lines, error) {
	buf := append(make([]byte, 0, 4*len(chunk)), chunk...)
	for {
		chunk, err := l.r.ReadSlice('\n')
		if len(buf)+len(trimEOL(chunk)) > l.max {
			return l.skip(buf, chunk, err)
		}
		buf = append(buf, chunk...)
		if err != bufio.ErrBufferFull {
			return lines{raw: buf}, nil
		}
	}
}

// skip drops the rest of a line that is too long and keeps its two ends.
func (l *lineReader) skip(buf, chunk []byte, err error) (lines, error) {
	head := bytes.Clone(buf[:min(len(buf), gapHead)])
	tail := append(lastBytes(buf), lastBytes(chunk)...)
	size := int64(len(buf) + len(chunk))
	for err == bufio.ErrBufferFull {
		chunk, err = l.r.ReadSlice('\n')
		size += int64(len(chunk))
		tail = lastBytes(append(tail, lastBytes(chunk)...))
	}
	size -= int64(len(tail) - len(trimEOL(tail)))
	return lines{gap: newGap(head, trimEOL(tail), size)}, nil
}

func lastBytes(b []byte) []byte {
	return bytes.Clone(b[max(0, len(b)-gapTail):])
}

func trimEOL(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte("\n"))
	return bytes.TrimSuffix(b, []byte("\r"))
}

func newGap(head, tail []byte, size int64) *Gap {
	g := &Gap{Size: size, Head: bytes.Clone(head[:min(len(head), 256)])}
	head = bytes.TrimPrefix(head[:min(len(head), gapHead)], utf8BOM)
	for key, value := range members(head) {
		switch key {
		case "method":
			g.Method = str(value)
		case "id":
			g.ID = bytes.Clone(value)
		case "result", "error":
			g.answers = true
		}
	}
	if g.ID == nil {
		g.ID = trailingID(tail)
	}
	return g
}

// trailingID finds `,"id":7}` at the end of a line.
func trailingID(tail []byte) json.RawMessage {
	i := bytes.LastIndex(tail, []byte(`,"id"`))
	if i < 0 {
		return nil
	}
	key, value := memberKey(tail, i+1)
	if key != "id" || value < 0 {
		return nil
	}
	end := skipValue(tail, value)
	if end < 0 || string(bytes.TrimSpace(tail[end:])) != "}" {
		return nil
	}
	return bytes.Clone(tail[value:end])
}
