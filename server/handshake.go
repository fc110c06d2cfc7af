package server

import (
	"net/http"
	"net/url"
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/transcript"
)

// handshake refuses what begins no websocket, or comes from a page that is not
// ours: a shell is asked for by GET, which any page can have a browser do, and
// it wakes a session before the connection is a websocket.
func handshake(r *http.Request) error {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") || r.Header.Get("Sec-WebSocket-Key") == "" {
		return blaise.Errorf(blaise.CodeInvalid, "a shell is a websocket, and the request begins none").
			WithHint("blaise shell SESSION")
	}
	origin := r.Header.Get("Origin")
	if origin == "" { // no browser
		return nil
	}
	if u, err := url.Parse(origin); err == nil && strings.EqualFold(u.Host, r.Host) {
		return nil
	}
	return denied(http.StatusForbidden, "the request comes from another origin (%q)", origin)
}

// longestClaim is how much of what a caller says to run is recorded, in bytes.
const longestClaim = 200

// claimed is what a caller says to run, as the record can show it.
func claimed(what string) string {
	what = transcript.Harmless(what[:min(len(what), 4*longestClaim)])
	if len(what) > longestClaim {
		what = strings.ToValidUTF8(what[:longestClaim], "") + "…"
	}
	return strings.ToValidUTF8(what, "")
}
