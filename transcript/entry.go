package transcript

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

// An Entry is one line of the outbox: an event, or a report about the run.
type Entry struct {
	N    int64           `json:"n"` // over the spool, from 1, gapless
	Kind EntryKind       `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// An EntryKind says what an entry carries.
type EntryKind string

// The kinds of entry.
const (
	EntryEvent  EntryKind = "event"  // Data is an Event
	EntryReport EntryKind = "report" // Data is package api's report
)

// A line of a segment is a JSON object of fixed order, so that jq reads it:
//
//	{"n":12,"kind":"event","crc":"0a1b2c3d","data":{...}}
//
// crc is the CRC-32C of the line up to its comma and of data.
var (
	lineStart = []byte(`{"n":`)
	lineKind  = []byte(`,"kind":"`)
	lineCRC   = []byte(`,"crc":"`)
	lineData  = []byte(`","data":`)
	lineEnd   = []byte("}\n")

	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errTorn    = errors.New("torn line")
)

// lineOverhead is at least what appendLine adds to the data.
const lineOverhead = 80

func appendLine(b []byte, n int64, kind EntryKind, data []byte) []byte {
	start := len(b)
	b = append(b, lineStart...)
	b = strconv.AppendInt(b, n, 10)
	b = append(b, lineKind...)
	b = append(b, kind...)
	b = append(b, '"')
	sum := checksum(b[start:], data)
	b = append(b, lineCRC...)
	b = hex.AppendEncode(b, sum[:])
	b = append(b, lineData...)
	b = append(b, data...)
	return append(b, lineEnd...)
}

func checksum(parts ...[]byte) [4]byte {
	var c uint32
	for _, p := range parts {
		c = crc32.Update(c, castagnoli, p)
	}
	return [4]byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)}
}

// parseLine reads what appendLine wrote. The entry shares line's memory.
func parseLine(line []byte) (Entry, error) {
	head, rest, ok := bytes.Cut(line, lineCRC)
	if !ok || len(rest) < 8+len(lineData)+len(lineEnd) || !bytes.HasSuffix(rest, lineEnd) {
		return Entry{}, errTorn
	}
	crc, data := rest[:8], rest[8:len(rest)-len(lineEnd)]
	data, ok = bytes.CutPrefix(data, lineData)
	sum := checksum(head, data)
	if !ok || string(crc) != hex.EncodeToString(sum[:]) {
		return Entry{}, errTorn
	}
	number, kind, ok := bytes.Cut(bytes.TrimPrefix(head, lineStart), lineKind)
	n, err := strconv.ParseInt(string(number), 10, 64)
	if !ok || err != nil || len(kind) == 0 {
		return Entry{}, errTorn
	}
	return Entry{N: n, Kind: EntryKind(kind[:len(kind)-1]), Data: data}, nil
}

// canonical appends data to b as encoding/json writes a RawMessage: compact,
// with <, > and & escaped. What is on disk is then byte for byte what a
// receiver gets, and both compute the same digest.
func canonical(b *bytes.Buffer, data []byte) error {
	start := b.Len()
	if err := json.Compact(b, data); err != nil {
		return fmt.Errorf("read data: %w", err)
	}
	if got := b.Bytes()[start:]; mayNeedEscape(got) {
		plain := bytes.Clone(got)
		b.Truncate(start)
		json.HTMLEscape(b, plain)
	}
	return nil
}

// mayNeedEscape looks for what HTMLEscape escapes, or the first byte of it: one
// fast search each beats bytes.ContainsAny, a quarter of a recording's time.
func mayNeedEscape(b []byte) bool {
	return bytes.IndexByte(b, '<') >= 0 || bytes.IndexByte(b, '>') >= 0 ||
		bytes.IndexByte(b, '&') >= 0 || bytes.IndexByte(b, 0xe2) >= 0
}
