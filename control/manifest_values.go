package control

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// A limit is how many there may be at once, 1 or more; "off" and no word at all
// mean any number.
type limit int

func (l *limit) UnmarshalYAML(n *yaml.Node) (err error) {
	*l, err = parseLimit(n.Value)
	return err
}

func parseLimit(s string) (limit, error) {
	if s == "off" {
		return 0, nil
	}
	most, err := strconv.Atoi(s)
	if err != nil || most < 1 {
		return 0, fmt.Errorf("%q is no limit: write 1 or more, or off", s)
	}
	return limit(most), nil
}

// A duration is text like 90s, 15m, 7d; "off" and 0 mean never.
type duration string

func (d *duration) UnmarshalYAML(n *yaml.Node) error {
	if _, err := ParseDuration(n.Value); err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	*d = duration(n.Value)
	return nil
}

func set(to *time.Duration, d duration) {
	if d != "" {
		*to, _ = ParseDuration(string(d)) // checked when it was read
	}
}

// ParseDuration reads how long something is to last: 90s, 12h, 7d; 0 for off. Of
// what is no such word the error says what is.
func ParseDuration(s string) (time.Duration, error) {
	if s == "off" || s == "0" || s == "never" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%q is not a duration: write 90s, 15m, 12h, 7d or off", s)
		}
		return time.Duration(n * 24 * float64(time.Hour)), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration: write 90s, 15m, 12h, 7d or off", s)
	}
	return d, nil
}
