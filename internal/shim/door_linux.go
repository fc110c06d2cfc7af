package shim

import (
	"context"
	"fmt"
	"net"

	"blaise.dev/blaise/internal/shim/gate"
	"blaise.dev/blaise/internal/shim/jail"
)

// openDoor has this process offer the proxy inside the sandbox, as long as it
// lives.
func openDoor(spec jail.Spec) error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", spec.Port))
	if err != nil {
		return fmt.Errorf("open door to the proxy: %w", err)
	}
	go gate.Door(l, func() (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(context.Background(), "unix", jail.InsideSocket)
	})
	return nil
}
