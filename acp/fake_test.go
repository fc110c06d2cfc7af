package acp_test

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// fake is an agent over in-memory pipes, which know no deadline and run under a
// fake clock.
type fake struct {
	in   *io.PipeReader
	out  *io.PipeWriter
	done chan struct{}
}

func newFake() (io.WriteCloser, io.ReadCloser, *fake) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	return inW, outR, &fake{in: inR, out: outW, done: make(chan struct{})}
}

// answerPrompt answers the first line with end_turn and goes on talking.
func (f *fake) answerPrompt(updates int, every time.Duration) {
	defer close(f.done)
	_, _ = bufio.NewReader(f.in).ReadString('\n')
	_, _ = fmt.Fprintln(f.out, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`)
	for range updates {
		time.Sleep(every)
		if _, err := fmt.Fprintln(f.out, `{"jsonrpc":"2.0","method":"session/update",`+
			`"params":{"sessionId":"s1","update":{"sessionUpdate":"x"}}}`); err != nil {
			return
		}
	}
}

func (f *fake) stop() {
	_ = f.out.Close()
	<-f.done
}
