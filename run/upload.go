package run

import (
	"os"
	"path/filepath"
	"sync/atomic"

	"blaise.dev/blaise/transcript"
)

// uploadTold is how long a file is whose way to Blaise is told in the record.
const uploadTold = 8 << 20

// An upload counts what is sent of a file, as it is written to it.
type upload struct {
	name  string
	size  int64
	sent  atomic.Int64
	moved chan struct{}
}

func newUpload(path string) *upload {
	u := &upload{name: filepath.Base(path), moved: make(chan struct{}, 1)}
	if info, err := os.Stat(path); err == nil { // else whoever sends it says so
		u.size = info.Size()
	}
	return u
}

func (u *upload) Write(b []byte) (int, error) {
	u.sent.Add(int64(len(b)))
	select {
	case u.moved <- struct{}{}:
	default: // who tells looks at the sum
	}
	return len(b), nil
}

// tell notes every tenth of a long file, and its end, until over is closed.
func (u *upload) tell(over <-chan struct{}, note func(transcript.Kind, any)) {
	told := int64(0)
	at := func(step int64) {
		sent := u.sent.Load()
		if u.size < uploadTold || sent-told < step {
			return
		}
		told = sent
		note(transcript.KindProgress, map[string]any{
			"what": "upload " + u.name, "done": sent >> 20, "total": u.size >> 20, "unit": "MB",
		})
	}
	for {
		select {
		case <-u.moved:
			at(u.size / 10)
		case <-over:
			at(1)
			return
		}
	}
}
