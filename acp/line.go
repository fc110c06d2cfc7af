package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

const (
	// readBuffer holds nearly every line whole; a longer one gets memory of
	// its own, which goes with the line.
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

// line is one line of the agent's stdout: raw, or a gap, or why there is none.
type line struct {
	raw []byte
	gap *Gap
	err error
	// handled is closed by the dispatcher, if not nil.
	handled chan struct{}
}

// lineReader cuts a stream into lines. Every line has its own memory, which the
// receiver may keep.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, longest int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBuffer), max: longest}
}

// next returns the next line without its newline. A last line without newline
// counts; the error comes with the call after it.
func (l *lineReader) next() (line, error) {
	chunk, err := l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return l.long(chunk)
	}
	if err != nil && len(chunk) == 0 {
		return line{}, err
	}
	if raw := trimEOL(chunk); len(raw) > l.max {
		return line{gap: newGap(raw, raw, int64(len(raw)))}, nil
	}
	return line{raw: bytes.Clone(trimEOL(chunk))}, nil
}

func (l *lineReader) long(chunk []byte) (line, error) {
	buf := append(make([]byte, 0, 4*len(chunk)), chunk...)
	for {
		chunk, err := l.r.ReadSlice('\n')
		if len(buf)+len(trimEOL(chunk)) > l.max {
			return l.skip(buf, chunk, err)
		}
		buf = append(buf, chunk...)
		if err != bufio.ErrBufferFull {
			return line{raw: trimEOL(buf)}, nil
		}
	}
}

// skip drops the rest of a line that is too long and keeps its two ends.
func (l *lineReader) skip(buf, chunk []byte, err error) (line, error) {
	head := bytes.Clone(buf[:min(len(buf), gapHead)])
	tail := append(lastBytes(buf), lastBytes(chunk)...)
	size := int64(len(buf) + len(chunk))
	for err == bufio.ErrBufferFull {
		chunk, err = l.r.ReadSlice('\n')
		size += int64(len(chunk))
		tail = lastBytes(append(tail, lastBytes(chunk)...))
	}
	size -= int64(len(tail) - len(trimEOL(tail)))
	return line{gap: newGap(head, trimEOL(tail), size)}, nil
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
