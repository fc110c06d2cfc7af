package acp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"

	"blaise.dev/blaise/acp"
	"blaise.dev/blaise/acp/acptest"
)

var scanned = []string{
	``, ` `, `{}`, `{"a":1}`, ` {"a" : [1 , 2.5e-3, -0, true,false , null]} `, `{"a":1,}`, `[1,]`, `{"a"}`,
	`{"a":01}`, `-`, `1.`, `.5`, `1e`, `1E+9`, `tru`, `nul`, `"\u00e9"`, `"\u00g9"`, `"\x"`, "\"\t\"", "\"\xff\"",
	`{"jsonrpc":"2.0","id":1,"result":null}`, `{"id":null,"error":{"code":-32700}}`, `{"params":7}{}`,
	`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","content":[]}}}`,
	`{"params":{"sessionId":"s","update":{"content":1}},"method":"x","params":{"update":{"sessionUpdate":"y"}}}`,
	`{"p\u0061rams":{"session\u0049d":"s","update":null,"update":{"sessionUpdate":null}},"method":"a\nb"}`,
	`{"id":"1","id":2,"method":null,"result":1,"result":null}`, `{"a":"\`, `{"a":"b`, `[`, `[[`, `{"a":[}`,
}

// FuzzScan holds the walk over a line against encoding/json: both take the same
// lines, and find the same in them.
func FuzzScan(f *testing.F) {
	for _, s := range scanned {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got, want := acp.Valid(raw), json.Valid(raw); got != want {
			t.Fatalf("valid: got %v, want %v", got, want)
		}
		method, got, ok := acp.Scan(raw)
		if want := json.Valid(raw) && raw[0] == '{'; ok != want {
			t.Fatalf("scanned: got %v, want %v", ok, want)
		}
		if !ok {
			return
		}
		top := object(raw)
		params := object(top["params"])
		update := object(params["update"])
		for from, keys := range map[*map[string]json.RawMessage][]string{
			&top: {"id", "params", "result", "error"}, &params: {"sessionId", "update"},
			&update: {"sessionUpdate", "content"},
		} {
			for _, key := range keys {
				want := (*from)[key]
				if from == &top && key != "id" && string(want) == "null" {
					want = nil
				}
				if !bytes.Equal(got[key], want) {
					t.Errorf("%s: got %s, want %s", key, got[key], want)
				}
			}
		}
		var want string
		if m := top["method"]; json.Unmarshal(m, &want) == nil && method != want {
			t.Errorf("method: got %q, want %q", method, want)
		}
	})
}

func object(raw []byte) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &m) // what is no object has no members
	return m
}

// The depth at which JSON is refused is that of encoding/json: no line makes
// the stack grow without end.
func TestDepthIsBounded(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"[", `{"a":`, `[{"params":`} {
		for _, n := range []int{4999, 5000, 5001, 9999, 10000, 10001, 100_000} {
			close := strings.NewReplacer("[", "]", "{", "}", `"a":`, "", `"params":`, "").Replace(open)
			if len(close) == 2 {
				close = close[1:] + close[:1]
			}
			raw := []byte(strings.Repeat(open, n) + "0" + strings.Repeat(close, n))
			if got, want := acp.Valid(raw), json.Valid(raw); got != want {
				t.Errorf("%d of %s: got %v, want %v", n, open, got, want)
			}
			raw = append(append([]byte(`{"method":"x","params":`), raw...), '}')
			if _, _, got := acp.Scan(raw); got != json.Valid(raw) {
				t.Errorf("%d of %s in params: got %v", n, open, got)
			}
		}
	}
}

// R4: a line that never ends costs no more memory than the longest allowed one.
func TestEndlessLineCostsNoMemory(t *testing.T) { //nolint:paralleltest // it looks at the heap of the whole process
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var gaps []acp.Gap
	p := connect(t, &acptest.Agent{Stdin: devNull(t), Stdout: r}, &recorder{}, acp.Options{
		MaxLine: 1 << 20, Gap: func(g acp.Gap) { gaps = append(gaps, g) },
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range 256 {
		if _, err := w.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	if err := <-p.ran; err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if len(gaps) != 1 || gaps[0].Size != 256<<20 {
		t.Errorf("got %+v, want one gap of 256 MiB", gaps)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("a line of 256 MiB over a limit of 1 MiB took %d MiB", used>>20)
	}
}

func devNull(t testing.TB) *os.File {
	t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
