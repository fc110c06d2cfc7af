package redact

import "sync"

// A Stream redacts a text that comes in chunks. It withholds no more than an
// end that may begin a secret; all it gives out is, put together, what String
// makes of the whole. It is safe for concurrent use.
type Stream struct {
	r *Redactor

	mu     sync.Mutex // guards what follows
	held   string
	before string // the end of what was given out, as it came
}

// NewStream returns a stream at its beginning.
func (r *Redactor) NewStream() *Stream { return &Stream{r: r} }

// Write takes the next chunk and returns what is decided. It may be "".
func (s *Stream) Write(chunk string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.held + chunk
	spans, open := s.r.find(s.before, text)
	for len(spans) > 0 && spans[len(spans)-1].start >= open {
		spans = spans[:len(spans)-1]
	}
	s.held = text[open:]
	s.before += text[:open]
	s.before = s.before[max(0, len(s.before)-contextLength):]
	return replace(text[:open], spans)
}

// Flush ends the stream and returns what was withheld, redacted. The stream is
// at its beginning again.
func (s *Stream) Flush() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, before := s.held, s.before
	s.held, s.before = "", ""
	spans, _ := s.r.find(before, held)
	return replace(held, spans)
}

// Streams are many streams, by key: the kind of an update and the id of its
// message. It is safe for concurrent use.
type Streams struct {
	r *Redactor

	mu   sync.Mutex // guards keys
	keys map[string]*Stream
}

// NewStreams returns a set of streams, each at its beginning.
func (r *Redactor) NewStreams() *Streams {
	return &Streams{r: r, keys: make(map[string]*Stream)}
}

// Next takes the next chunk of a stream and returns what is decided.
func (s *Streams) Next(key, chunk string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	stream, ok := s.keys[key]
	if !ok {
		stream = s.r.NewStream()
		s.keys[key] = stream
	}
	return stream.Write(chunk)
}

// Flush ends a stream and returns what was withheld, redacted; "" for a key
// that is not known.
func (s *Streams) Flush(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	stream, ok := s.keys[key]
	if !ok {
		return ""
	}
	delete(s.keys, key)
	return stream.Flush()
}

// FlushAll ends all streams and returns what they withheld, by key; streams
// that withheld nothing are left out.
func (s *Streams) FlushAll() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := make(map[string]string)
	for key, stream := range s.keys {
		if text := stream.Flush(); text != "" {
			rest[key] = text
		}
	}
	clear(s.keys)
	return rest
}
