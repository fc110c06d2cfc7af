package meter_test

import (
	"encoding/json"
	"testing"
)

// The board is as Grafana has one itself: each row has its panels, if none, each
// panel asks the source that was chosen, and none stands on another.
func TestBoardIsAsGrafanaHasOne(t *testing.T) {
	t.Parallel()
	var board struct {
		Panels []struct {
			Type, Title string
			Panels      *[]any
			Datasource  struct{ Type, UID string }
			GridPos     struct{ H, W, X, Y int }
		}
	}
	read(t, "../../deploy/grafana/blaise.json", func(b []byte) error { return json.Unmarshal(b, &board) })
	taken := map[[2]int]string{}
	for _, p := range board.Panels {
		if p.Type == "row" && p.Panels == nil {
			t.Errorf("row %q has no list of panels", p.Title)
		}
		if p.Type != "row" && (p.Datasource.Type != "prometheus" || p.Datasource.UID != "${datasource}") {
			t.Errorf("panel %q asks %+v", p.Title, p.Datasource)
		}
		g := p.GridPos
		if g.H < 1 || g.W < 1 || g.X < 0 || g.X+g.W > 24 {
			t.Errorf("panel %q has no place: %+v", p.Title, g)
		}
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("panel %q stands on %q", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}
