package engine_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"blaise.dev/blaise/internal/engine"
)

// What an engine answers amiss about one thing is no weight, and the others' are
// told all the same.
func TestUsageOfAnEngineThatAnswersAmiss(t *testing.T) {
	t.Parallel()
	const body = `{
		"Containers": [null, {"Id": "c", "SizeRw": -5}, {"Id": "d", "SizeRw": 7}],
		"Volumes": [null, {"Name": "v", "UsageData": {"Size": 8}}],
		"Images": [null, {"Id": "i", "Size": 3, "SharedSize": 4}, {"Id": "j", "Size": -1}]}`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", engine.MinAPI)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/system/df"):
			fmt.Fprint(w, body)
		case strings.HasSuffix(r.URL.Path, "/volumes"):
			fmt.Fprint(w, `{"Volumes": [null, {"Name": "v"}]}`)
		default:
			fmt.Fprint(w, `{"ID": "e"}`)
		}
	}))
	defer s.Close()
	e, err := engine.Dial(t.Context(), "tcp://"+s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	u, err := e.Usage(t.Context())
	if err != nil || !maps.Equal(u.Containers, map[string]int64{"d": 7}) || !maps.Equal(u.Volumes, map[string]int64{"v": 8}) ||
		!maps.Equal(u.Images, map[string]int64{"i": 0}) {
		t.Errorf("usage %+v, %v", u, err)
	}
	if all, err := e.Volumes(t.Context(), "l"); err != nil || len(all) != 1 {
		t.Errorf("volumes %+v, %v", all, err)
	}
}
