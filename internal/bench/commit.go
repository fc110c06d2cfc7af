package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// bareCommits is the least that an accept can cost: as many clients, each
// asking and then writing, one after the other, at a handler that commits one
// row and knows nothing else. It answers how long each write took.
func bareCommits(ctx context.Context, o options) ([]time.Duration, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(o.tmp, "commits.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, fmt.Errorf("open floor: %w", err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "CREATE TABLE taken (id INTEGER PRIMARY KEY)"); err != nil {
		return nil, fmt.Errorf("open floor: %w", err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			return
		}
		if _, err := db.ExecContext(r.Context(), "INSERT INTO taken DEFAULT VALUES"); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	defer s.Close()
	var mu sync.Mutex // guards took
	var took []time.Duration
	g, ctx := errgroup.WithContext(ctx)
	for range instances {
		g.Go(func() error {
			own, err := writer(ctx, s.URL)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
			return err
		})
	}
	return took, g.Wait()
}

// writer is one of the clients, with its share of the writes.
func writer(ctx context.Context, url string) ([]time.Duration, error) {
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	var took []time.Duration
	for range offered / instances {
		if err := ask(ctx, c, http.MethodGet, url); err != nil {
			return took, err
		}
		began := time.Now()
		if err := ask(ctx, c, http.MethodPost, url); err != nil {
			return took, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

func ask(ctx context.Context, c *http.Client, method, url string) error {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte("{}")))
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return fmt.Errorf("ask floor: %w", err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return fmt.Errorf("read floor: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask floor: %s", resp.Status)
	}
	return nil
}
