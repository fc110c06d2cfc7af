package dashboard

import (
	"context"
	"fmt"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
)

// A pausedThere is what the paused environments of a runner hold.
type pausedThere struct {
	List    []api.Paused
	Bytes   int64
	Unknown int // of how many nobody knows what they take
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
		if p.Bytes == 0 {
			t.Unknown++
		}
	}
	return there, err
}

// sizeWords is a number of bytes for people.
func sizeWords(n int64) string {
	switch {
	case n < 1e6:
		return fmt.Sprintf("%d kB", (n+999)/1000)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
