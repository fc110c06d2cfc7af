package gate

import (
	"io"
	"net"
)

// Door is the inside of the gate: it takes connections from l, and joins each
// to a new one that dial makes. It returns when l fails.
func Door(l net.Listener, dial func() (net.Conn, error)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() { // ends with either side, or with the sandbox
			defer c.Close()
			out, err := dial()
			if err != nil {
				return
			}
			defer out.Close()
			splice(c, io.Reader(c), out)
		}()
	}
}
