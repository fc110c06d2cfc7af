package control

import (
	"strings"

	"blaise.dev/blaise"
	"blaise.dev/blaise/store"
)

// clearEarlier takes a person's word for the environments of a session that came
// before its present one and of which something was left behind: no run comes
// for them any more. It answers which they were; without a reason, it writes
// nothing.
func clearEarlier(tx *store.Tx, s blaise.Snapshot, reason string) (ids []blaise.EnvironmentID, err error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		return nil, nil
	}
	all, err := tx.Environments(s.Session.ID)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.ID == s.Environment.ID || e.LeftBehind() == "" {
			continue
		}
		e.MarkDestroyed(reason)
		if err := tx.PutEnvironment(e); err != nil {
			return nil, err
		}
		ids = append(ids, e.ID)
	}
	return ids, nil
}
