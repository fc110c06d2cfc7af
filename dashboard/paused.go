package dashboard

import (
	"context"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A pausedThere is what the paused environments of a runner hold.
type pausedThere struct {
	List    []api.Paused
	Bytes   int64
	Unknown int // of how many nobody knows all that they take
}

func (d *dashboard) pausedThere(ctx context.Context) (map[blaise.RunnerID]*pausedThere, error) {
	all, err := d.views.Paused(ctx)
	there := map[blaise.RunnerID]*pausedThere{}
	for _, p := range all {
		t := there[p.Runner]
		if t == nil {
			t = &pausedThere{}
			there[p.Runner] = t
		}
		t.List = append(t.List, p)
		t.Bytes += p.Bytes
		if p.Bytes == 0 || len(p.Unweighed) > 0 {
			t.Unknown++
		}
	}
	return there, err
}
