package transcript

import (
	"crypto/sha256"
	"encoding/hex"
)

// A digest is a rolling SHA-256 over the events of a run, in order:
// sum_i = SHA-256(sum_{i-1} || data_i), where sum_0 is 32 zero bytes and
// data_i the i-th event as it is shipped. Reports do not count.
type digest struct {
	count int64
	sum   [sha256.Size]byte
}

// add takes in one event. buf is memory to work in; add returns it, grown.
func (d *digest) add(buf, data []byte) []byte {
	buf = append(buf[:0], d.sum[:]...)
	buf = append(buf, data...)
	d.sum = sha256.Sum256(buf)
	d.count++
	return buf
}

func (d *digest) String() string { return hex.EncodeToString(d.sum[:]) }
