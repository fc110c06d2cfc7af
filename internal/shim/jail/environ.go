package jail

import (
	"fmt"
	"slices"
	"strings"
)

// harmless are variables that programs need and nobody keeps secrets in.
var harmless = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "TZ",
	"NO_COLOR", "FORCE_COLOR", "CI", "PWD", "EDITOR", "PAGER", "BLAISE_MARK",
	"GOROOT", "GOTOOLCHAIN", "JAVA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

var proxies = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
	"http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

// Environ is what of env the prisoner gets: the tokens of whoever started it
// are not among that.
func (s Spec) Environ(env []string) []string {
	var kept []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if s.keeps(name) {
			kept = append(kept, kv)
		}
	}
	if s.Network == NetworkProxy {
		at := fmt.Sprintf("http://127.0.0.1:%d", s.Port)
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
			kept = append(kept, name+"="+at)
		}
		kept = append(kept, "NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1",
			"NODE_USE_ENV_PROXY=1")
	}
	if !s.OwnView() {
		kept = append(kept, "TMPDIR="+s.Tmp)
	}
	return append(kept, "PWD="+s.Dir)
}

func (s Spec) keeps(name string) bool {
	switch {
	case name == "PWD":
		return false // set anew
	case slices.Contains(proxies, name):
		return s.Network == NetworkHost
	}
	return slices.Contains(harmless, name) || strings.HasPrefix(name, "LC_") ||
		slices.Contains(s.Keep, name)
}
