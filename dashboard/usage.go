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
			blaise.TokenCount(u.Total), blaise.TokenCount(u.Input), blaise.TokenCount(u.Output), blaise.TokenCount(u.CachedRead+u.CachedWrite), blaise.TokenCount(u.Thought)))
	}
	if u.ContextSize > 0 {
		parts = append(parts, fmt.Sprintf("context %s of %s", blaise.TokenCount(u.ContextUsed), blaise.TokenCount(u.ContextSize)))
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
