package main

import (
	"errors"
	"net"
	"net/http"
	"syscall"
	"time"

	"blaise.dev/blaise"
)

// watch serves health and metrics at an address, if there is one, until the
// function that it returns is called.
func watch(addr string, h http.Handler) (stop func(), err error) {
	if addr == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		e := blaise.Errorf(blaise.CodeRefused, "listen on %s: %v", addr, err)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, e.WithHint("another program has the port; choose one with --metrics-listen HOST:PORT")
		}
		return nil, e.WithHint("give --metrics-listen as HOST:PORT")
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l) // it ends when it is closed
	}()
	return func() {
		_ = srv.Close() // nobody waits for an answer that matters
		<-done
	}, nil
}
