package store

import (
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// A dialect is what differs between the two databases in a query; the zero value
// is SQLite's.
type dialect struct {
	numbered bool   // $1 for ?
	lock     string // ends a SELECT that locks what it reads
	share    string // ends a SELECT of what must stay until the commit
	alone    string // lets one transaction at a time past a name; "" where no two are under way
	moment   *sql.TxOptions
	rebound  *sync.Map
}

var postgresDialect = dialect{
	numbered: true, lock: " FOR UPDATE", share: " FOR SHARE", rebound: new(sync.Map),
	alone:  `SELECT pg_advisory_xact_lock(hashtext(?))`,
	moment: &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
}

// rebind turns the `?` of a query into what the database knows. No query here
// has a `?` in a text.
func (d dialect) rebind(query string) string {
	if !d.numbered {
		return query
	}
	if s, ok := d.rebound.Load(query); ok {
		return s.(string)
	}
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
	d.rebound.Store(query, b.String())
	return b.String()
}

// again says that a transaction failed because of others and is to be run
// again: serialization failure, deadlock.
func again(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "40001", "40P01":
		return true
	}
	return false
}
