package gate

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Rules say where a prisoner may go. The zero Rules allow nothing.
type Rules struct {
	names []nameRule
	nets  []netRule
}

// A nameRule allows a name and all below it.
type nameRule struct {
	name string
	port uint16 // 0: the web's, 80 and 443
}

// A netRule allows addresses, as themselves and as what an allowed name leads
// to, though they be private.
type netRule struct {
	prefix netip.Prefix
	port   uint16 // 0: any
}

// ParseRules reads rules: "example.com", "example.com:8443", "10.1.0.0/16",
// "10.1.2.3:5432".
func ParseRules(texts []string) (Rules, error) {
	var r Rules
	for _, text := range texts {
		if err := r.add(text); err != nil {
			return Rules{}, err
		}
	}
	return r, nil
}

func (r *Rules) add(text string) error {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		r.nets = append(r.nets, netRule{prefix: prefix.Masked()})
		return nil
	}
	if addr, err := netip.ParseAddr(text); err == nil {
		r.nets = append(r.nets, netRule{prefix: netip.PrefixFrom(addr, addr.BitLen())})
		return nil
	}
	if at, err := netip.ParseAddrPort(text); err == nil {
		r.nets = append(r.nets, netRule{prefix: netip.PrefixFrom(at.Addr(), at.Addr().BitLen()), port: at.Port()})
		return nil
	}
	name, portText, hasPort := strings.Cut(text, ":")
	rule := nameRule{name: normal(strings.TrimPrefix(name, "*."))}
	if hasPort {
		port, err := strconv.ParseUint(portText, 10, 16)
		if err != nil || port == 0 {
			return fmt.Errorf("%q: want a port from 1 to 65535 after the colon", text)
		}
		rule.port = uint16(port)
	}
	if !isName(rule.name) {
		return fmt.Errorf("%q is no domain: want one like example.com, an address or a range", text)
	}
	r.names = append(r.names, rule)
	return nil
}

func isName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") {
			return false
		}
		for _, c := range label {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	return len(name) < 254
}

func normal(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// allowsName reports whether the name is listed, itself or as one below.
func (r Rules) allowsName(name string, port uint16) bool {
	name = normal(name)
	for _, rule := range r.names {
		under := name == rule.name || strings.HasSuffix(name, "."+rule.name)
		if under && (port == rule.port || rule.port == 0 && (port == 80 || port == 443)) {
			return true
		}
	}
	return false
}

// allowsAddr reports whether the address is listed.
func (r Rules) allowsAddr(addr netip.Addr, port uint16) bool {
	for _, rule := range r.nets {
		if rule.prefix.Contains(addr) && (rule.port == 0 || rule.port == port) {
			return true
		}
	}
	return false
}

// inner are the ranges that belong to somebody's own network or machine, or
// that lead back into such.
var inner = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3",
	"::/96", "64:ff9b::/32", "100::/64", "2002::/16", "2001::/32", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// public reports whether the address is one of the open internet.
func public(addr netip.Addr) bool {
	for _, p := range inner {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}
