package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"blaise.dev/blaise/redact"
)

// Tokens that are more than a prefix and letters. They are put together here,
// so that nothing takes this file for a leak.
func longTokens() []string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	key := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n", 3)
	return []string{
		part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"1234567890","name":"J D"}`) + "." + part("a signature of some bytes"),
		"whsec" + "_" + "qL/+0d8Zz+/hJ3mS9vTq1k2Xw5YrBnAe7uCgPfOiLxM=",
		"pypi" + "-" + "AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMA",
		"-----BEGIN RSA PRIVATE" + " KEY-----\n" + key + "-----END RSA PRIVATE KEY-----",
		"-----BEGIN OPENSSH PRIVATE" + " KEY-----\\n" + strings.ReplaceAll(key, "\n", "\\n") + "-----END OPENSSH PRIVATE KEY-----",
		"-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\r\n\r\n" + key + "-----END PGP PRIVATE KEY BLOCK-----",
	}
}

func allTokens() []string { return append(redact.ShapeSamples(), longTokens()...) }

// Every shape is known without being told, wherever a token may begin.
func TestShapes(t *testing.T) {
	t.Parallel()
	r := redact.New()
	for _, token := range allTokens() {
		for _, around := range [][2]string{
			{"", ""}, {"TOKEN=", "\n"}, {`"`, `"`}, {"https://x:", "@host/"}, {`line\n`, " "}, {"a%3D", "&b=1"},
			{"\x1b[1;32m", "\x1b[0m"}, {"(", ")"},
		} {
			if got, want := r.String(around[0]+token+around[1]), around[0]+redact.Mark+around[1]; got != want {
				t.Errorf("%q between %q became %q", token, around, got)
			}
		}
		raw, _ := json.Marshal(map[string]string{"text": "see " + token + "!"})
		if got := string(r.JSON(raw)); got != `{"text":"see `+redact.Mark+`!"}` {
			t.Errorf("%q in JSON became %s", token, got)
		}
	}
	cut := longTokens()[3]
	if got := r.String(cut[:150]); got != redact.Mark {
		t.Errorf("a key without its end became %q", got)
	}
}

// What only looks like a token stays: ids, hashes, names, and examples.
func TestShapesLeaveTheRest(t *testing.T) {
	t.Parallel()
	r := redact.New()
	for _, text := range []string{
		"d670460b4b4aece5915caf5c68d12f560a9fe3e4",                                // a commit
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", // a digest
		"k3xw2m1p.m12", "019a5c1e-7b3a-7c4e-9f00-0123456789ab",
		"task-ant-colony-simulation-with-a-very-long-name-of-a-branch",
		"ghp_" + strings.Repeat("x", 36), "sk-ant-...", "sk-learn", "npm_config_cache", "AKIA", "eyJ",
		"-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END CERTIFICATE-----",
		"The header -----BEGIN PRIVATE KEY----- begins a key.",
		"xAKIA" + "ABCDEFGHIJKLMNOP", "AKIA" + "ABCDEFGHIJKLMNOPQ",
		"https://hooks.slack.com/services/ takes the parts",
		"blr_nobodyhasmadethis", "bll_...", "blu_" + strings.Repeat("x", 43), "refs/blaise/k3xw2m1p/1",
		"the_blr_" + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG", // a name that goes on
		"blr_ and blu_, blc_ and bll_: 0123456789abcdefghijklmnopqrstuvwxyzABCDEFG", `{"token":"blu_","run":"k3xw2m1p.m12"}`,
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// The sources of this module hold no tokens, and none is found in them.
func TestShapesInSources(t *testing.T) {
	t.Parallel()
	r := redact.New()
	_ = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".md") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(string(b)) {
			if got := r.String(line); got != line {
				t.Errorf("%s: %q became %q", path, line, got)
			}
		}
		return nil
	})
}

// Each kind of token and a told value, cut at every byte: what comes out is,
// put together, what String makes of the whole.
func TestShapesCutAtEveryByte(t *testing.T) {
	t.Parallel()
	r := with(secret)
	for _, token := range append(allTokens(), secret, base64.StdEncoding.EncodeToString([]byte("Basic "+secret))) {
		text := "x " + token + " y=" + token + ". The end"
		want := r.String(text)
		if strings.Contains(want, token) {
			t.Fatalf("%q stays in %q", token, want)
		}
		for i := range text {
			s := r.NewStream()
			if got := s.Write(text[:i]) + s.Write(text[i:]) + s.Flush(); got != want {
				t.Fatalf("cut at %d: got %q, want %q", i, got, want)
			}
		}
		s, got := r.NewStream(), ""
		for i := range len(text) {
			got += s.Write(text[i : i+1])
		}
		if got += s.Flush(); got != want {
			t.Fatalf("byte by byte: got %q, want %q", got, want)
		}
	}
}

// However texts full of beginnings of tokens are cut, streams agree with String.
func TestShapesStreamProperty(t *testing.T) {
	t.Parallel()
	tokens := allTokens()
	rapid.Check(t, func(t *rapid.T) {
		r := with("told-value", "sk-ant-told")
		var text strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "pieces") {
			token := rapid.SampledFrom(tokens).Draw(t, "token")
			text.WriteString(token[:rapid.IntRange(0, len(token)).Draw(t, "of it")])
			text.WriteString(rapid.SampledFrom([]string{"", " ", ".", "-", "x", "\n", "told-value", "m", "\\n", "eyJ", "sk-", "%3D"}).Draw(t, "then"))
		}
		want := r.String(text.String())
		s := r.NewStream()
		var got strings.Builder
		for rest := text.String(); rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 40)).Draw(t, "n")
			got.WriteString(s.Write(rest[:n]))
			rest = rest[n:]
		}
		got.WriteString(s.Flush())
		if got.String() != want {
			t.Fatalf("got %q, want %q", got.String(), want)
		}
	})
}
