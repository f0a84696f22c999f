package figure

import (
	"testing"

	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// TestReachFigure draws a point for each size of steps, by time.
func TestReachFigure(t *testing.T) {
	t.Parallel()
	tables, err := analysis.Sensitivity(testrun.Kind(t), testrun.Frame(t, testrun.Steps()))
	if err != nil {
		t.Fatal(err)
	}
	plans := planReaches(tables[0])
	if len(plans) != 1 {
		t.Fatalf("%d figures, want 1", len(plans))
	}
	f := reachFigure(plans[0].table, plans[0].reach)
	want := map[string][]Point{"ACS": {{X: 0.25, Y: 0.8}, {X: 2, Y: 1}}, "GAGA": {{X: 1, Y: 1}}}
	if len(f.Series) != len(want) {
		t.Fatalf("%d series, want %d", len(f.Series), len(want))
	}
	for _, s := range f.Series {
		points := want[s.Name]
		if len(s.Pieces) != 1 || len(s.Pieces[0]) != len(points) {
			t.Fatalf("%s: %v, want %v", s.Name, s.Pieces, points)
		}
		for i, p := range s.Pieces[0] {
			if !testrun.Near(p.X, points[i].X) || !testrun.Near(p.Y, points[i].Y) {
				t.Errorf("%s: point %v, want %v", s.Name, p, points[i])
			}
		}
	}
	if _, err := f.CSV(); err != nil {
		t.Error(err)
	}
}
