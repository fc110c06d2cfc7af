package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// ErrPrivate means that an address leads to this machine or its own network.
var ErrPrivate = errors.New("the address is not a public one")

// CheckURL says what is wrong with the address of a webhook, as far as that is
// seen without asking for its name. What the name stands for is looked at when
// a connection is made, each time anew.
func (s *Sender) CheckURL(given string) error {
	u, err := url.Parse(given)
	switch {
	case err != nil:
		return fmt.Errorf("read address: %w", err)
	case u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return fmt.Errorf("read address %q: it is no https:// address", given)
	case u.User != nil:
		return errors.New("read address: a name or password in it would stand in every list")
	case u.Fragment != "":
		return fmt.Errorf("read address %q: what follows # is never sent", given)
	case s.AllowPrivate:
		return nil
	case u.Scheme == "http":
		return fmt.Errorf("read address %q: http:// can be read by everybody on the way", given)
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return fmt.Errorf("read address %q: %w", given, ErrPrivate)
	}
	if ip, err := netip.ParseAddr(host); err == nil && !public(ip) {
		return fmt.Errorf("read address %q: %w", given, ErrPrivate)
	}
	return nil
}

// guard looks at the address that a connection is made to, after its name was
// asked for: what a name stood for before counts for nothing.
func guard(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("read address %q: %w", address, err)
	}
	if !public(at.Addr()) {
		return fmt.Errorf("connect to %s: %w", at.Addr(), ErrPrivate)
	}
	return nil
}

// notPublic are the networks that are not for the open internet (the registries
// of special-purpose addresses, RFC 6890), and those that wrap an IPv4 address.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
	"3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

func prefixes(all ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(all))
	for i, p := range all {
		list[i] = netip.MustParsePrefix(p)
	}
	return list
}

func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	for _, p := range notPublic {
		if p.Contains(ip) {
			return false
		}
	}
	return ip.IsValid()
}
