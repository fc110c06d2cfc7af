package house_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http/httptest"
	"os"
	"testing"

	"blaise.dev/blaise/server"
)

var update = flag.Bool("update", false, "write docs/openapi.json anew")

const openAPIFile = "../../docs/openapi.json"

// docs/openapi.json is what Blaise serves at /openapi.json, whoever reads it
// here: a change of the API is a change of that file.
func TestOpenAPIDocumentIsFresh(t *testing.T) {
	t.Parallel()
	answer := httptest.NewRecorder()
	server.New(server.Options{}).ServeHTTP(answer, httptest.NewRequest("GET", "/openapi.json", nil))
	var want bytes.Buffer
	if err := json.Indent(&want, answer.Body.Bytes(), "", " "); err != nil {
		t.Fatalf("answer %d: %v", answer.Code, err)
	}
	want.WriteByte('\n')
	if *update {
		if err := os.WriteFile(openAPIFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want.Bytes()) {
		t.Errorf("%s is stale: run go test ./internal/house -run TestOpenAPIDocumentIsFresh -update", openAPIFile)
	}
}
