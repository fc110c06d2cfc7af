package run

import "blaise.dev/blaise/transcript"

// A stderr records what the agent writes there, line by line, and keeps the
// end of it: where an agent does not start, the real reason is there.
type stderr struct {
	tell   func(transcript.Event)
	source string
	tail   transcript.Tail
}

func (s *stderr) Write(p []byte) (int, error) {
	s.record(s.tail.Take(p))
	return len(p), nil
}

// end records a last line that was not ended.
func (s *stderr) end() { s.record(s.tail.Rest()) }

func (s *stderr) record(text string) {
	if text == "" {
		return
	}
	s.tell(transcript.New(transcript.KindOutput, map[string]string{"source": s.source, "text": text}))
}
