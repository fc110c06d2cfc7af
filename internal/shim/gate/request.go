package gate

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// A request is the head of what a client asks of a proxy.
type request struct {
	host   string
	port   uint16
	tunnel bool   // CONNECT: what follows is not for us
	head   []byte // what the server gets instead of the head, without a tunnel
}

func readRequest(in *bufio.Reader) (request, error) {
	first, err := readLine(in, headLimit)
	if err != nil {
		return request{}, err
	}
	method, rest, _ := strings.Cut(first, " ")
	target, proto, ok := strings.Cut(rest, " ")
	if !ok || !strings.HasPrefix(proto, "HTTP/1.") {
		return request{}, errors.New("this is a proxy for HTTP")
	}
	headers, err := readHeaders(in)
	if err != nil {
		return request{}, err
	}
	if method == "CONNECT" {
		r := request{tunnel: true}
		r.host, r.port, err = hostPort(target, 443)
		return r, err
	}
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return request{}, errors.New("want CONNECT, or a whole http:// address")
	}
	r := request{}
	if r.host, r.port, err = hostPort(u.Host, 80); err != nil {
		return request{}, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s %s\r\nHost: %s\r\nConnection: close\r\n", method, u.RequestURI(), proto, u.Host)
	for _, h := range headers {
		head.WriteString(h + "\r\n")
	}
	head.WriteString("\r\n")
	r.head = head.Bytes()
	return r, nil
}

// readHeaders leaves out what is for a proxy, and the host: that is the
// address's, or a server could be asked for another than was looked at.
func readHeaders(in *bufio.Reader) ([]string, error) {
	var headers []string
	for left := headLimit; ; {
		line, err := readLine(in, left)
		if err != nil || line == "" {
			return headers, err
		}
		left -= len(line)
		name, _, ok := strings.Cut(line, ":")
		name = strings.ToLower(name)
		switch {
		case !ok || strings.ContainsAny(name, " \t"):
			return nil, errors.New("a header without a name")
		case name == "host", name == "connection", name == "keep-alive", strings.HasPrefix(name, "proxy-"):
		default:
			headers = append(headers, line)
		}
	}
}

func readLine(in *bufio.Reader, most int) (string, error) {
	var line []byte
	for {
		part, more, err := in.ReadLine()
		if err != nil {
			return "", errors.New("the request is not whole")
		}
		if line = append(line, part...); len(line) > most {
			return "", errors.New("the head of the request is too long")
		}
		if !more {
			return string(line), nil
		}
	}
}

func hostPort(text string, standard uint16) (string, uint16, error) {
	host, portText, err := net.SplitHostPort(text)
	if err != nil {
		return strings.Trim(text, "[]"), standard, nil
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 || host == "" {
		return "", 0, fmt.Errorf("%q names no host and port", text)
	}
	return host, uint16(port), nil
}
