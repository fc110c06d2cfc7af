package store

import (
	"context"
	"database/sql"
	"sync"
)

// maxPrepared bounds what a pool keeps prepared: more queries than the store
// has, were it not for those whose length follows their arguments.
const maxPrepared = 256

// A pool is the connections that read. Where the driver does not, it prepares
// a query once for each connection and keeps it: SQLite takes longer to parse
// most of them than to run them. It is safe for concurrent use.
type pool struct {
	*sql.DB

	mu    sync.RWMutex         // guards the map
	stmts map[string]*sql.Stmt // nil: the driver keeps them; they end with the DB
}

// QueryContext is sql.DB's, on a prepared statement.
func (p *pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	st, err := p.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return p.DB.QueryContext(ctx, query, args...)
	}
	return st.QueryContext(ctx, args...)
}

// prepared answers nil for a query that is not kept.
func (p *pool) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.RLock()
	st, known := p.stmts[query]
	none := p.stmts == nil || len(p.stmts) >= maxPrepared
	p.mu.RUnlock()
	if known || none {
		return st, nil
	}
	st, err := p.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if other, known := p.stmts[query]; known {
		return other, st.Close()
	}
	p.stmts[query] = st
	return st, nil
}
