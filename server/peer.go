package server

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// A peer is where a request comes from.
type peer struct {
	addr  netip.Addr // not valid if it came over no network
	https bool       // as the browser has it
}

type peerKey struct{}

func peerOf(ctx context.Context) peer {
	p, _ := ctx.Value(peerKey{}).(peer)
	return p
}

// from finds out where a request comes from. A proxy that is trusted is
// believed what it says of whom it asks for, and nobody else is.
func (s *Server) from(r *http.Request) peer {
	at, _ := netip.ParseAddrPort(r.RemoteAddr)
	p := peer{
		addr:  at.Addr().Unmap().WithZone(""),
		https: r.TLS != nil || strings.HasPrefix(s.o.URL, "https://"),
	}
	if !s.trusts(p.addr) {
		return p
	}
	if proto := said(r, "X-Forwarded-Proto"); len(proto) > 0 {
		p.https = p.https || strings.EqualFold(proto[0], "https")
	}
	for _, hop := range said(r, "X-Forwarded-For") {
		addr, err := hopAddr(hop)
		if err != nil {
			break
		}
		if p.addr = addr.Unmap().WithZone(""); !s.trusts(p.addr) {
			break // what stands before it, anybody may have written
		}
	}
	return p
}

// hopAddr reads what a proxy says of whom it asks for; some say the port too.
func hopAddr(hop string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(hop); err == nil {
		return at.Addr(), nil
	}
	return netip.ParseAddr(strings.Trim(hop, "[]"))
}

// said are the values of a list in a header, the last first: each proxy adds
// its own at the end.
func said(r *http.Request, header string) []string {
	var all []string
	for _, v := range strings.Split(strings.Join(r.Header.Values(header), ","), ",") {
		if v = strings.TrimSpace(v); v != "" {
			all = append(all, v)
		}
	}
	slices.Reverse(all)
	return all
}

func (s *Server) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(s.o.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}
