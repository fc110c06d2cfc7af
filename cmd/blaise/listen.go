package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"syscall"

	"blaise.dev/blaise"
)

// defaultListen is where Blaise listens unless told otherwise.
const defaultListen = "127.0.0.1:4420"

// listen opens the port of last time where the address leaves it open, so that
// runs which outlived the process find it again; else the one named; else, for
// the default alone, any that is free. The data folder remembers it.
func listen(data, addr string) (net.Listener, error) {
	kept := filepath.Join(data, listenFile)
	named := addr != "" && !anyPort(addr)
	var tries []string
	if last, err := readToken(kept); err == nil && last != "" && !named {
		tries = append(tries, last)
	}
	switch addr {
	case "":
		tries = append(tries, defaultListen, "127.0.0.1:0")
	default:
		tries = append(tries, addr)
	}
	var err error
	for _, at := range tries {
		var l net.Listener
		if l, err = net.Listen("tcp", at); err == nil {
			return l, writePrivate(kept, []byte(l.Addr().String()+"\n"))
		}
	}
	return nil, notListening("--listen", addr, err)
}

// watch opens the port of health and metrics; nil if none is wanted.
func watch(addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, notListening("--metrics-listen", addr, err)
	}
	return l, nil
}

func notListening(flag, addr string, err error) error {
	e := blaise.Errorf(blaise.CodeRefused, "listen on %s: %v", addr, err)
	if errors.Is(err, syscall.EADDRINUSE) {
		return e.WithHint("another program has the port; choose one with %s HOST:PORT", flag)
	}
	return e.WithHint("give %s as HOST:PORT", flag)
}

// closeListener closes what a server may have closed.
func closeListener(l net.Listener) error {
	if err := l.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

func anyPort(addr string) bool {
	_, port, err := net.SplitHostPort(addr)
	return err == nil && port == "0"
}

func isLoopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// userName is who the owner of a data folder acts as.
func userName() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return fmt.Sprintf("uid-%d", os.Getuid())
}
