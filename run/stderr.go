package run

import (
	"bytes"
	"strings"
	"sync"

	"blaise.dev/blaise/transcript"
)

const (
	stderrKept = 64 << 10 // for the errors
	stderrLine = 8 << 10  // a longer line is cut into several
)

// A stderr records what the agent writes there, line by line, and keeps the
// end of it: where an agent does not start, the real reason is there.
type stderr struct {
	tell   func(transcript.Event)
	source string

	mu   sync.Mutex // guards what follows
	line []byte     // begun
	kept []byte
}

func (s *stderr) Write(p []byte) (int, error) {
	whole := s.take(p)
	if len(whole) > 0 {
		s.tell(transcript.New(transcript.KindOutput, map[string]string{
			"source": s.source, "text": string(whole),
		}))
	}
	return len(p), nil
}

// end records a last line that was not ended.
func (s *stderr) end() {
	s.mu.Lock()
	rest := string(s.line)
	s.line = nil
	s.mu.Unlock()
	if rest != "" {
		s.tell(transcript.New(transcript.KindOutput, map[string]string{"source": s.source, "text": rest}))
	}
}

// take adds p and gives the lines that it makes whole.
func (s *stderr) take(p []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = append(s.kept, p...)
	if over := len(s.kept) - stderrKept; over > 0 {
		s.kept = bytes.Clone(s.kept[over:])
	}
	s.line = append(s.line, p...)
	end := bytes.LastIndexByte(s.line, '\n') + 1
	if end == 0 && len(s.line) > stderrLine {
		end = len(s.line)
	}
	whole := bytes.Clone(s.line[:end])
	s.line = append(s.line[:0], s.line[end:]...)
	return bytes.TrimRight(whole, "\n")
}

// last is the end of what was written, at most n lines of it.
func (s *stderr) last(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(s.kept)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
