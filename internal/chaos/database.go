package main

import (
	"errors"
	"math/rand/v2"

	"blaise.dev/blaise/store/storetest"
)

// The stores that the control plane can have.
const (
	storeSQLite   = "sqlite"
	storePostgres = "postgres"
)

// openDatabase starts PostgreSQL where it was asked for, and says how the
// control plane is started with it.
func (w *world) openDatabase() (args []string, err error) {
	if w.o.store != storePostgres {
		return nil, nil
	}
	w.database, err = storetest.NewPostgres("fsync=off") // no power is cut here
	if err != nil {
		return nil, err
	}
	dsn, err := w.database.Create()
	return []string{"--db", dsn}, err
}

// crashDatabase has every process of PostgreSQL end at once, as after a crash,
// and start again.
func (w *world) crashDatabase(*rand.Rand) {
	w.diary.write(0, "FAULT PostgreSQL crashes")
	w.f.count("fault: "+string(faultDatabase), 1)
	if err := errors.Join(w.database.Halt(), w.database.Start()); err != nil {
		w.f.violation("restart PostgreSQL: " + err.Error())
	}
	w.diary.write(0, "PostgreSQL is there again")
}
