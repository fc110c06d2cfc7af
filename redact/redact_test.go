package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"blaise.dev/blaise/redact"
)

const secret = `p@ss/wörd "42" <&> ~end`

func with(values ...string) *redact.Redactor {
	r := redact.New()
	for _, v := range values {
		r.Add(v)
	}
	return r
}

func TestForms(t *testing.T) {
	t.Parallel()
	r := with(secret)
	quoted, _ := json.Marshal(secret)
	twice, _ := json.Marshal(string(quoted))
	for name, text := range map[string]string{
		"raw":            secret,
		"JSON":           string(quoted),
		"JSON in JSON":   string(twice),
		"Python's JSON":  `p@ss/w\u00f6rd \"42\" <&> ~end`,
		"PHP's JSON":     `p@ss\/wörd \"42\" <&> ~end`,
		"a query":        url.QueryEscape(secret),
		"a path":         url.PathEscape(secret),
		"encodeURI":      strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
		"lower-case hex": strings.ReplaceAll(strings.ToLower(url.QueryEscape(secret)), "+", "%20"),
	} {
		got := r.String("before " + text + " after")
		if !strings.Contains(got, redact.Mark) || strings.Contains(got, "rd") {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
		for shift := range 4 {
			text := enc.EncodeToString([]byte(strings.Repeat("u", shift) + secret + ":more"))
			got := r.String(text)
			if !strings.Contains(got, redact.Mark) || len(got) > len(redact.Mark)+16 {
				t.Errorf("base64, shift %d: %q became %q", shift, text, got)
			}
		}
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	key := "-----BEGIN KEY-----\nMIIEvQIBADANBg\n  kqhkiG9w0BAQ\r\nabc\n-----END KEY-----\n"
	account := `{"type":"service","private_key":"line one\nline two","n":["nested-secret"],"id":"x"}`
	for _, c := range []struct{ name, value, in, want string }{
		{"short values are not secrets", "abc12", "abc12", "abc12"},
		{"six bytes are", "abc123", "abc1234 abc123", "[redacted]4 [redacted]"},
		{"each line of several", key, "x MIIEvQIBADANBg y kqhkiG9w0BAQ", "x [redacted] y [redacted]"},
		{"not the armour", key, "-----BEGIN KEY-----", "-----BEGIN KEY-----"},
		{"not a short line", key, "abc", "abc"},
		{"the whole at once", key, "<" + key + ">", "<[redacted]>"},
		{"strings in JSON", account, "line one\nline two, nested-secret", "[redacted], [redacted]"},
		{"around it no blanks", " token-token\n", "token-token", "[redacted]"},
		{"overlaps go together", "ababab", "xabababab", "x[redacted]"},
		{"neighbours do not", "ababab", "ababababab ab", "[redacted] ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := with(c.value).String(c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	r := with(secret, "content", "0123456789012345678901234567890123456789", "12345678")
	quoted, _ := json.Marshal(secret)
	for _, c := range []struct{ name, in, want string }{
		{"nothing stays as it is", ` {"a": [1, true, null, "x\u00e9"] } `, ` {"a": [1, true, null, "x\u00e9"] } `},
		{"a string", `{"a":` + string(quoted) + `,"b":"y"}`, `{"a":"[redacted]","b":"y"}`},
		{"any escape", `["\u0063ontent"]`, `["[redacted]"]`},
		{"keys stay", `{"content" : "content"}`, `{"content" : "[redacted]"}`},
		{"a long secret in a key goes", `{"0123456789012345678901234567890123456789":1}`, `{"[redacted]":1}`},
		{"a number", `[12345678, 1, -1.5e3]`, `["[redacted]", 1, -1.5e3]`},
		{"no JSON", `{"a": content`, `"{\"a\": [redacted]"`},
		{"a bare string", `"content"`, `"[redacted]"`},
		{"empty", ``, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := string(r.JSON(json.RawMessage(c.in))); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	t.Run("a secret split at every byte", func(t *testing.T) {
		t.Parallel()
		r := with(secret, "other-secret")
		text := "a p@ss/w " + secret + secret + " p other-sec" + secret[:9]
		want := r.String(text)
		for i := range text {
			for j := i; j <= len(text); j++ {
				s := r.NewStream()
				got := s.Write(text[:i]) + s.Write(text[i:j]) + s.Write(text[j:]) + s.Flush()
				if got != want {
					t.Fatalf("split at %d and %d: got %q, want %q", i, j, got, want)
				}
			}
		}
	})
	t.Run("withholds only what may begin a secret", func(t *testing.T) {
		t.Parallel()
		s := with("secret-value").NewStream()
		for _, c := range []struct{ chunk, want string }{
			{"hello", "hello"}, {" sec", " "}, {"ond", "second"}, {" secret-", " "}, {"value!", "[redacted]!"},
		} {
			if got := s.Write(c.chunk); got != c.want {
				t.Errorf("%q: got %q, want %q", c.chunk, got, c.want)
			}
		}
	})
	t.Run("a secret learned on the way counts from then on", func(t *testing.T) {
		t.Parallel()
		r := with("first-secret")
		s := r.NewStream()
		got := s.Write("first-")
		r.Add("second-secret")
		got += s.Write("secret second-") + s.Write("secret") + s.Flush()
		if want := "[redacted] [redacted]"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestStreams(t *testing.T) {
	t.Parallel()
	s := with("secret-value").NewStreams()
	if got := s.Next("a", "x secret") + s.Next("b", "-value secret-"); got != "x -value " {
		t.Errorf("streams are mixed: %q", got)
	}
	if got := s.Next("a", "-value"); got != redact.Mark {
		t.Errorf("got %q", got)
	}
	s.Next("c", "secr")
	if got := s.Flush("c") + s.Flush("c") + s.Flush("unknown"); got != "secr" {
		t.Errorf("got %q", got)
	}
	if got := fmt.Sprint(s.FlushAll()); got != "map[b:secret-]" {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprint(s.FlushAll()); got != "map[]" {
		t.Errorf("got %s", got)
	}
}

// However a text is cut, the stream says what String says of the whole; and
// that holds no secret.
func TestStreamProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("abé")), 6, 12, -1)
		secrets := rapid.SliceOfN(letters, 1, 5).Draw(t, "secrets")
		r := with(secrets...)
		pieces := rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom(secrets), rapid.StringOfN(rapid.RuneFrom([]rune("abé x")), 0, 9, -1),
		)).Draw(t, "pieces")
		text := strings.Join(pieces, "")
		want := r.String(text)
		for _, secret := range secrets {
			if strings.Contains(want, secret) {
				t.Fatalf("%q leaks %q", want, secret)
			}
		}
		s := r.NewStream()
		var got strings.Builder
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			got.WriteString(s.Write(rest[:n]))
			rest = rest[n:]
		}
		got.WriteString(s.Flush())
		if got.String() != want {
			t.Fatalf("got %q, want %q", got.String(), want)
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":["secret-value",{"b":"\u0073ecret-value"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := with("secret-value").JSON(raw)
		if len(raw) > 0 && !json.Valid(got) {
			t.Fatalf("%q became %q, which is not JSON", raw, got)
		}
		if strings.Contains(string(got), "secret-value") && !strings.Contains(string(raw), `secret-value"`) {
			t.Errorf("%q became %q", raw, got)
		}
	})
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	r := redact.New()
	streams := r.NewStreams()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			value := fmt.Sprintf("secret-number-%d", i)
			r.Add(value)
			for range 50 {
				if got := r.String(value) + streams.Next(value, value); strings.Contains(got, value) {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func manySecrets() *redact.Redactor {
	r := redact.New()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var b strings.Builder
		for range 40 {
			b.WriteByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"[rnd.IntN(64)])
		}
		r.Add(b.String())
	}
	return r
}

func BenchmarkString(b *testing.B) {
	r := manySecrets()
	text := strings.Repeat("The agent writes ordinary prose and func main() { fmt.Println(x) }\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.String(text)
	}
}

func BenchmarkJSON(b *testing.B) {
	r := manySecrets()
	raw := json.RawMessage(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` +
		strings.Repeat("some words of an agent ", 9) + `"}}`)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		r.JSON(raw)
	}
}

func BenchmarkStream(b *testing.B) {
	s := manySecrets().NewStream()
	chunk := "four words of text. "
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		s.Write(chunk)
	}
}

func BenchmarkAdd100(b *testing.B) {
	for b.Loop() {
		manySecrets().String("build")
	}
}
