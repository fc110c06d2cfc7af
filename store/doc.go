// Package store keeps all that Blaise knows: sessions with their environments,
// runs, messages, questions and clocks; agents, runners and tokens; and the
// transcripts. It keeps it in SQLite (a directory) or PostgreSQL, with one set
// of queries.
//
// Package control decides and calls it; nothing else does. It never decides:
// what an event means is [blaise.Decide]'s, the store loads the snapshot and
// writes the plan, all of it or nothing.
//
// There are three lanes. Decisions go through [DB.Tx] and are on disk when it
// returns. Transcripts go through [DB.Append] and are on disk, once and in
// order, when it returns. Files go through [DB.PutBlob], in parts, and nobody
// else waits for them. In SQLite each lane is a file with one writer, which
// takes many callers into one transaction, each in a savepoint of its own:
// one fsync for all of them, and none of them can hurt another. In PostgreSQL
// a lane is a pool, and a session's row is the lock.
//
// Notices that a plan adds to the transcript are rows of the plan's own
// transaction (the outbox) and carried over after the commit, exactly once
// also when the process dies in between.
//
// Tokens are known here by their SHA-256 alone; a plug's state is sealed.
package store
