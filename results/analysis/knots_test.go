package analysis

import (
	"path/filepath"
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
				if want := (Knot{int64(k), 0.1 + float64(k), "turning", float64(i*each + k)}); have != want {
					t.Fatalf("cell %d: knot %+v, want %+v", i, have, want)
				}
			}
		}
		if n := len(found[testrun.ID(cells)]); n > 0 {
			t.Errorf("a cell that is not there has %d knots", n)
		}
	}
}
