package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"blaise.dev/blaise"
	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/config"
	"blaise.dev/blaise/plug"
	"blaise.dev/blaise/transcript"
)

// duties are what one process of the agent may ask of the run beside
// permissions: files and terminals where blaise.yml offers them, and questions
// to a person. All of it happens in the innermost place, as the agent sees it.
type duties struct {
	*conversation
	terms *terminals // nil where they are not offered
}

var _ acp.Handler = (*duties)(nil)

func newDuties(c *conversation) *duties {
	d := &duties{conversation: c}
	if c.offers.Terminal {
		d.terms = newTerminals(c)
	}
	return d
}

// end ends what the agent has left running.
func (d *duties) end() {
	if d.terms != nil {
		d.terms.end()
	}
}

// capabilities are what the agent is offered.
func capabilities(offers config.Agent) acp.ClientCapabilities {
	return acp.ClientCapabilities{
		ReadTextFile: offers.FS, WriteTextFile: offers.FS, Terminal: offers.Terminal,
		BooleanConfig: true, ElicitForm: true, ElicitURL: true,
	}
}

// Request serves what the agent was offered; all else does not exist.
func (d *duties) Request(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch {
	case method == acp.MethodElicit:
		return d.elicit(ctx, params)
	case method == "fs/read_text_file" && d.offers.FS:
		return d.readFile(ctx, params)
	case method == "fs/write_text_file" && d.offers.FS:
		return d.writeFile(ctx, params)
	case strings.HasPrefix(method, "terminal/") && d.terms != nil:
		return d.terms.serve(ctx, strings.TrimPrefix(method, "terminal/"), params)
	}
	return nil, acp.ErrMethodNotFound
}

// elicit puts a question of the agent's own to a person.
func (d *duties) elicit(ctx context.Context, params json.RawMessage) (any, error) {
	e := acp.NewElicitRequest(params)
	if e.Mode != "form" && e.Mode != "url" {
		return nil, invalid("elicitation of mode %q is not offered", e.Mode)
	}
	answer, ok := d.r.askFor(ctx, blaise.Question{
		Kind: blaise.QuestionElicitation, Title: cmp.Or(e.Message, "The agent asks for something."),
		Turn: d.r.turn.now(), Detail: e.Raw,
		Options: []blaise.Option{
			{ID: blaise.ChoiceAccept, Name: "Answer", Kind: acp.AllowOnce},
			{ID: blaise.ChoiceDecline, Name: "Decline", Kind: acp.RejectOnce},
		},
	})
	switch {
	case ok && answer.Choice == blaise.ChoiceAccept:
		return acp.ElicitResult(acp.ElicitAccept, answer.Content), nil
	case ok && answer.Choice == blaise.ChoiceDecline:
		return acp.ElicitResult(acp.ElicitDecline, nil), nil
	}
	return acp.ElicitResult(acp.ElicitCancel, nil), nil
}

// maxFile is the largest file that goes over ACP, one way or the other.
const maxFile = 16 << 20

type fileParams struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	Line    int    `json:"line"`
	Limit   *int   `json:"limit"`
}

func (d *duties) readFile(ctx context.Context, params json.RawMessage) (any, error) {
	var p fileParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid("%v", err)
	}
	data, err := plug.ReadFile(ctx, d.r.stack.Env(), p.Path, maxFile)
	if err == nil && !utf8.Valid(data) {
		err = fmt.Errorf("read %s: it is no text", p.Path)
	}
	if err != nil {
		return nil, d.refused(err)
	}
	d.told("read %s (%d bytes)", p.Path, len(data))
	return map[string]string{"content": lines(string(data), p.Line, p.Limit)}, nil
}

func (d *duties) writeFile(ctx context.Context, params json.RawMessage) (any, error) {
	var p fileParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid("%v", err)
	}
	if len(p.Content) > maxFile {
		return nil, d.refused(fmt.Errorf("write %s: %w", p.Path, plug.ErrTooLarge))
	}
	if err := plug.WriteFile(ctx, d.r.stack.Env(), p.Path, []byte(p.Content)); err != nil {
		return nil, d.refused(err)
	}
	d.told("wrote %s (%d bytes)", p.Path, len(p.Content))
	return nil, nil
}

// told records what the run did for the agent.
func (d *duties) told(format string, args ...any) {
	d.r.record.tell(transcript.New(transcript.KindOutput, map[string]string{
		"source": "files", "text": fmt.Sprintf(format, args...) + "\n",
	}))
}

// refused records a file that was not served, and gives the agent's error.
func (d *duties) refused(err error) error {
	d.told("refused: %v", err)
	if errors.Is(err, fs.ErrNotExist) {
		return &acp.Error{Code: acp.CodeNotFound, Message: err.Error()}
	}
	return invalid("%v", err)
}

func invalid(format string, args ...any) error {
	return &acp.Error{Code: acp.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// lines is the part of a text from a line on, the first one being 1.
func lines(text string, from int, limit *int) string {
	for ; from > 1 && text != ""; from-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	if limit == nil {
		return text
	}
	end := 0
	for n := 0; n < *limit && end < len(text); n++ {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 {
			return text
		}
		end += next + 1
	}
	return text[:end]
}
