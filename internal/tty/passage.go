package tty

import (
	"fmt"
	"strings"
)

const (
	biggest  = 16 << 10 // how much of a passage is kept back to be painted as one
	longLine = 64 << 10 // what is shown of a line
)

// A passage is what an agent says, as it comes in pieces. It is cut where one
// block of Markdown ends and another begins, so that what is painted is whole.
type passage struct {
	text  strings.Builder // not cut off yet
	line  int             // where the last line begins in text
	fence string          // the line that opened a block of code
	blank bool            // the last whole line was empty
	size  int             // of the line, with what is not shown of it
}

// add takes a piece, and returns the blocks that are whole.
func (p *passage) add(piece string) []string {
	var whole []string
	for piece != "" {
		one, rest, ended := strings.Cut(piece, "\n")
		piece = rest
		if one != "" {
			if cut := p.begin(one); cut != "" {
				whole = append(whole, cut)
			}
			p.write(one)
		}
		if ended {
			p.endLine()
		}
		if p.text.Len() > biggest && p.line == p.text.Len() {
			whole = append(whole, p.cut())
		}
	}
	return whole
}

// begin cuts what stands before the first letters of a line that begins a block.
func (p *passage) begin(letters string) string {
	if p.line < p.text.Len() || !p.blank || p.fence != "" || strings.TrimLeft(letters, " \t") != letters {
		return ""
	}
	return p.cut()
}

// write adds to the line as much as is shown of one.
func (p *passage) write(letters string) {
	room := max(longLine-p.size, 0)
	p.size += len(letters)
	if len(letters) > room {
		letters = strings.ToValidUTF8(letters[:room], "")
	}
	p.text.WriteString(letters)
}

func (p *passage) endLine() {
	if p.size > longLine {
		fmt.Fprintf(&p.text, " … (%d more bytes in this line)", p.size-longLine)
	}
	p.size = 0
	line := p.text.String()[p.line:]
	p.text.WriteByte('\n')
	p.line = p.text.Len()
	p.blank = strings.TrimSpace(line) == ""
	bare := strings.TrimLeft(line, " ")
	switch {
	case p.fence != "":
		mark := p.fence[:3]
		if strings.HasPrefix(bare, mark) && strings.Trim(bare, mark[:1]+" \r") == "" {
			p.fence = ""
		}
	case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
		p.fence = bare[:min(len(bare), 40)]
	}
}

// cut takes what there is. Inside a block of code it closes the block, and opens
// it again for what follows.
func (p *passage) cut() string {
	text := p.text.String()
	p.text.Reset()
	p.line, p.blank = 0, false
	if p.fence != "" {
		text = strings.TrimSuffix(text, "\n") + "\n" + p.fence[:3]
		p.text.WriteString(p.fence + "\n")
		p.line = p.text.Len()
	}
	return text
}

// rest takes what there is, at the end of a speech.
func (p *passage) rest() string {
	if p.size > longLine {
		p.endLine()
	}
	text := p.text.String()
	*p = passage{}
	return text
}
