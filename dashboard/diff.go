package dashboard

import "strings"

const (
	diffContext = 3
	diffMost    = 600 // lines shown
	lineMost    = 2000
)

// A diffLine is one line of a diff: sign is "+", "-", " " or "…".
type diffLine struct {
	Sign string
	Text string
}

// Class is the line's class in the stylesheet.
func (l diffLine) Class() string {
	switch l.Sign {
	case "+":
		return "add"
	case "-":
		return "del"
	}
	return "same"
}

// diff shows what changed between two texts: what both begin and end with is
// left out but for a little, the middle is old lines and then new ones.
func diff(before, after string) []diffLine {
	a, b := lines(before), lines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []diffLine
	add := func(sign string, texts []string) {
		for _, t := range texts {
			if len(out) == diffMost {
				out = append(out, diffLine{Sign: "…", Text: "the rest is not shown"})
			}
			if len(out) > diffMost {
				return
			}
			out = append(out, diffLine{Sign: sign, Text: cutTo(plain(t), lineMost)})
		}
	}
	add(" ", a[max(0, head-diffContext):head])
	add("-", a[head:len(a)-tail])
	add("+", b[head:len(b)-tail])
	add(" ", a[len(a)-tail:min(len(a), len(a)-tail+diffContext)])
	return out
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
