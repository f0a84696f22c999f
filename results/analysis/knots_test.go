package analysis

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
)

// Of a file of several batches only those with wanted cells are decoded; the
// cells' knots must all be there.
func TestReadKnots(t *testing.T) {
	t.Parallel()
	const cells, each = 500, 100
	var knots experiment.Batch
	for i := range cells {
		for k := range each {
			testrun.AppendKnot(&knots, testrun.ID(i), k, 0.1+float64(k), "turning", float64(i*each+k))
		}
	}
	dir := t.TempDir()
	if err := results.WriteTable(filepath.Join(dir, "knots.arrow"), selfpaced.Tables().Further[0], "r", &knots, results.ZSTD); err != nil {
		t.Fatal(err)
	}
	if knots.Rows < 3*16384 { // rows of a batch
		t.Fatalf("%d rows fit in too few batches", knots.Rows)
	}
	for _, wanted := range [][]int{{0}, {cells - 1}, {163, 164}, {0, 250, cells - 1}} {
		found := map[string][]Knot{testrun.ID(cells): nil}
		for _, i := range wanted {
			found[testrun.ID(i)] = nil
		}
		if err := ReadKnots(t.Context(), dir, selfpaced.Layout.Path, found); err != nil {
			t.Fatal(err)
		}
		for _, i := range wanted {
			list := found[testrun.ID(i)]
			if len(list) != each {
				t.Fatalf("cell %d of %v has %d knots", i, wanted, len(list))
			}
			for k, have := range list {
				if want := (Knot{Number: int64(k), Age: 0.1 + float64(k), Event: "turning", Score: float64(i*each + k), In: 0.75}); have != want {
					t.Fatalf("cell %d: knot %+v, want %+v", i, have, want)
				}
			}
		}
		if n := len(found[testrun.ID(cells)]); n > 0 {
			t.Errorf("a cell that is not there has %d knots", n)
		}
	}
}

// TestKnotsDown wants a path down in ascending order, in the same pieces, after one up too.
func TestKnotsDown(t *testing.T) {
	t.Parallel()
	down := []Knot{
		{Number: 0, Age: 4, Event: "start", Down: true}, {Number: 1, Age: 3, Event: "jump", Down: true},
		{Number: 2, Age: 3, Event: "start", Down: true}, {Number: 3, Age: 1, Event: "end", Down: true},
	}
	got, _ := KnotsToDraw(slices.Clone(down))
	for k, want := range []struct {
		age    float64
		begins bool
	}{{1, true}, {3, false}, {3, true}, {4, false}} {
		if got[k].Age != want.age || got[k].Begins != want.begins {
			t.Errorf("knot %d is %+v, want %+v", k, got[k], want)
		}
	}
	up := []Knot{{Number: 0, Age: 1, Event: "start"}, {Number: 1, Age: 4, Event: "end"}}
	for k := range down {
		down[k].Number += 2
	}
	got, falling := KnotsToDraw(append(slices.Clone(up), down...))
	if len(got) != 2 || got[1].Age != 4 || !got[0].Begins || len(falling) != 4 || falling[0].Age != 1 || falling[0].Number != 5 {
		t.Errorf("of both directions %+v and %+v", got, falling)
	}
}
