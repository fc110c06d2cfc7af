package api_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"time"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
	"blaise.dev/blaise/server"
	"blaise.dev/blaise/store"
)

// A program begins a session, and would rather begin it twice than not at all:
// the key keeps it from that.
func ExampleClient_StartSession() {
	url, token, stop := blaiseFor("coder")
	defer stop()
	c := api.NewClient(url, token, api.ClientOptions{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	first, err := c.StartSession(ctx, api.StartSession{Agent: "coder", Text: "mend the tests", Key: "job-4711"})
	if err != nil {
		log.Fatal(err)
	}
	again, err := c.StartSession(ctx, api.StartSession{Agent: "coder", Text: "mend the tests", Key: "job-4711"})
	if err != nil {
		log.Fatal(err)
	}
	s, err := c.Session(ctx, first.Session)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first == again, s.State, s.Messages[0].State, s.Messages[0].Text)
	// Output: true queued queued mend the tests
}

// An error says what happened by a code that does not change, and what to do.
func ExampleClient_Session() {
	url, token, stop := blaiseFor("coder")
	defer stop()
	_, err := api.NewClient(url, token, api.ClientOptions{}).Session(context.Background(), "nosuchid")
	var e *blaise.Error
	fmt.Println(errors.As(err, &e), e.Code)
	// Output: true not_found
}

// blaiseFor is a Blaise with an agent, without a runner.
func blaiseFor(agent blaise.AgentName) (url, token string, stop func()) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "blaise-example-*")
	must(err)
	db, err := store.Open(ctx, "sqlite:"+dir, store.Options{})
	must(err)
	c := control.New(control.Options{DB: db, Secret: make([]byte, 32)})
	token, err = c.NewUserToken(ctx, "anna", "admin")
	must(err)
	srv := httptest.NewServer(server.New(server.Options{Control: c}))
	_, err = api.NewClient(srv.URL, token, api.ClientOptions{}).ApplyAgent(ctx, []byte(fmt.Sprintf(
		`{"apiVersion": "blaise.dev/v1", "kind": "Agent", "metadata": {"name": %q}, "spec": {}}`, agent)), false)
	must(err)
	return srv.URL, token, func() {
		srv.Close()
		must(errors.Join(db.Close(), os.RemoveAll(dir)))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
