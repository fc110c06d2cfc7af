package gate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

const (
	headLimit   = 64 << 10
	headTime    = 30 * time.Second
	dialTime    = 20 * time.Second
	mostAtATime = 256
)

// A Proxy lets through what Rules allow.
type Proxy struct {
	Rules Rules
	// Refused is told of what was not let through, and why. It may be called
	// from several goroutines.
	Refused func(where, why string)
	// Resolve looks a name up; nil is the system's resolver.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
}

// Serve serves l until ctx ends or l fails, and returns when the last
// connection is gone.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var open sync.WaitGroup
	defer open.Wait()
	room := make(chan struct{}, mostAtATime)
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		room <- struct{}{}
		open.Go(func() {
			defer func() { <-room }()
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			p.serve(ctx, c)
		})
	}
}

func (p *Proxy) serve(ctx context.Context, c net.Conn) {
	_ = c.SetReadDeadline(time.Now().Add(headTime)) // a connection without deadlines would be closed
	in := bufio.NewReaderSize(c, 4<<10)
	req, err := readRequest(in)
	if err != nil {
		answer(c, "400 Bad Request", err.Error())
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	where := net.JoinHostPort(req.host, strconv.Itoa(int(req.port)))
	out, err := p.dial(ctx, req.host, req.port)
	var no *refusal
	switch {
	case errors.As(err, &no):
		if p.Refused != nil {
			p.Refused(where, no.why)
		}
		answer(c, "403 Forbidden", where+": "+no.why)
		return
	case err != nil:
		answer(c, "502 Bad Gateway", where+": "+err.Error())
		return
	}
	defer out.Close()
	if req.tunnel {
		_, err = io.WriteString(c, "HTTP/1.1 200 Connection Established\r\n\r\n")
	} else {
		_, err = out.Write(req.head)
	}
	if err == nil {
		splice(c, in, out)
	}
}

func answer(c net.Conn, status, text string) {
	text = "blaise sandbox: " + text + "\n"
	_, _ = fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, len(text), text) // whoever is gone needs none
}

// A refusal says why something is not let through.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

// dial connects to an address that was looked at itself: a second look-up could
// give another.
func (p *Proxy) dial(ctx context.Context, host string, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	addrs, err := p.addresses(ctx, host, port)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	var errs []error
	for _, a := range addrs {
		c, err := d.DialContext(ctx, "tcp", netip.AddrPortFrom(a, port).String())
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func (p *Proxy) addresses(ctx context.Context, host string, port uint16) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr = addr.Unmap(); !p.Rules.allowsAddr(addr, port) {
			return nil, &refusal{"an address that network.allow does not list"}
		}
		return []netip.Addr{addr}, nil
	}
	if !p.Rules.allowsName(host, port) {
		return nil, &refusal{"network.allow does not list it"}
	}
	all, err := p.lookUp(ctx, host)
	if err != nil {
		return nil, err
	}
	var allowed []netip.Addr
	for _, a := range all {
		if a = a.Unmap(); public(a) || p.Rules.allowsAddr(a, port) {
			allowed = append(allowed, a)
		}
	}
	if len(allowed) == 0 {
		return nil, &refusal{"it leads to a private address, which network.allow does not list"}
	}
	return allowed, nil
}

func (p *Proxy) lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	if p.Resolve != nil {
		return p.Resolve(ctx, host)
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// splice copies both ways until both have ended.
func splice(c net.Conn, in io.Reader, out net.Conn) {
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(c, out) // the end of either side is the end of its direction
		closeWrite(c)
	})
	_, _ = io.Copy(out, in)
	closeWrite(out)
	back.Wait()
}

func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}
