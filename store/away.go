package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// maxAway is how long Open waits for a server that is not there yet: both are
// started together, or it recovers from a crash.
const maxAway = 30 * time.Second

// patiently does it again for as long as the server is away.
func (db *DB) patiently(ctx context.Context, do func() error) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = 100*time.Millisecond, 2*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !away(err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pause), backoff.WithMaxElapsedTime(maxAway),
		backoff.WithNotify(func(err error, _ time.Duration) {
			db.o.Log.Warn("database cannot be reached, trying again", "error", err)
		}))
	return err
}

// away says that the server could not be asked: nobody listens, it starts or
// stops, or the line broke. A server that refuses is there, and a name that
// does not exist will not.
func away(err error) bool {
	var name *net.DNSError
	if errors.As(err, &name) && name.IsNotFound {
		return false
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		// admin_shutdown, crash_shutdown, cannot_connect_now; too many connections
		return pg.Code == "57P01" || pg.Code == "57P02" || pg.Code == "57P03" || pg.Code == "53300"
	}
	var line net.Error
	return errors.As(err, &line) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, driver.ErrBadConn)
}
