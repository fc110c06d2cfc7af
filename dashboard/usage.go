package dashboard

import (
	"fmt"
	"strings"

	"blaise.dev/blaise"
)

// usageText is what was used in words, "" for nothing that is known.
func usageText(u blaise.Usage) string {
	var parts []string
	if u.Total > 0 {
		parts = append(parts, fmt.Sprintf("%s tokens (%s in, %s out, %s cached, %s thought)",
			count(u.Total), count(u.Input), count(u.Output), count(u.CachedRead+u.CachedWrite), count(u.Thought)))
	}
	if u.ContextSize > 0 {
		parts = append(parts, fmt.Sprintf("context %s of %s", count(u.ContextUsed), count(u.ContextSize)))
	}
	if u.Cost > 0 {
		parts = append(parts, cost(u))
	}
	return strings.Join(parts, " · ")
}

func cost(u blaise.Usage) string {
	if u.Cost == 0 {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%.4g %s", u.Cost, u.Currency))
}

// count is a number of tokens as people say it.
func count(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.3gk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.3gM", float64(n)/1e6)
}
