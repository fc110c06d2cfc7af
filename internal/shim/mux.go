package shim

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// The lanes of a stream are numbered as the descriptors they carry.
const (
	laneIn = iota
	laneOut
	laneErr
)

// A mux carries lines and lanes over one stream. What is sent waits in a queue,
// which the windows of the lanes keep short: send never blocks, though the
// stream does.
type mux struct {
	rw      io.ReadWriteCloser
	r       *bufio.Reader // of rw, for one goroutine
	writing sync.WaitGroup

	mu     sync.Mutex // guards what follows
	more   sync.Cond
	queue  []byte
	closed bool

	senders   map[byte]*sender   // fixed before serve
	receivers map[byte]*receiver // fixed before serve
}

func newMux(rw io.ReadWriteCloser) *mux {
	m := &mux{
		rw: rw, r: bufio.NewReaderSize(rw, laneChunk+64),
		senders: map[byte]*sender{}, receivers: map[byte]*receiver{},
	}
	m.more.L = &m.mu
	m.writing.Go(m.write)
	return m
}

func (m *mux) sends(lane byte) *sender {
	m.senders[lane] = newSender(m, lane)
	return m.senders[lane]
}

func (m *mux) receives(lane byte) *receiver {
	m.receivers[lane] = newReceiver(m, lane)
	return m.receivers[lane]
}

func (m *mux) send(kind byte, parts ...[]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return // who reads the stream knows
	}
	m.queue = appendFrame(m.queue, kind, parts...)
	m.more.Signal()
}

func (m *mux) line(text string) { m.send(frameLine, []byte(text)) }

func (m *mux) took(lane byte, n int) {
	m.send(frameTaken, binary.BigEndian.AppendUint32([]byte{lane}, uint32(n)))
}

// write empties the queue into the stream until close.
func (m *mux) write() {
	var spare []byte
	for {
		m.mu.Lock()
		for len(m.queue) == 0 && !m.closed {
			m.more.Wait()
		}
		batch := m.queue
		m.queue = spare[:0]
		m.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		if _, err := m.rw.Write(batch); err != nil {
			m.rw.Close() // ends the reading, which tells
			return
		}
		spare = batch
	}
}

// serve reads until the stream ends: nil at its proper end. It then ends the
// lanes, and closes the stream.
func (m *mux) serve(line func(string)) error {
	defer m.close()
	for {
		kind, body, err := readFrame(m.r)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case kind == frameLine:
			line(string(body))
		default:
			m.route(kind, body)
		}
	}
}

func (m *mux) route(kind byte, body []byte) {
	if len(body) == 0 {
		return
	}
	lane, body := body[0], body[1:]
	if r := m.receivers[lane]; kind == frameData && r != nil {
		r.put(body)
	}
	if s := m.senders[lane]; kind == frameTaken && s != nil && len(body) == 4 {
		s.taken(int(binary.BigEndian.Uint32(body)))
	}
}

// close sends what waits, and ends lanes and stream.
func (m *mux) close() {
	m.mu.Lock()
	m.closed = true
	m.more.Signal()
	m.mu.Unlock()
	for _, s := range m.senders {
		s.end()
	}
	for _, r := range m.receivers {
		r.put(nil)
	}
	m.rw.Close()
}

// flush sends what waits and takes no more.
func (m *mux) flush() {
	m.mu.Lock()
	m.closed = true
	m.more.Signal()
	m.mu.Unlock()
	m.writing.Wait()
}
