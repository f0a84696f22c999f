package embedding

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// words are those of a cell: two at one place, of one class each, and one of both.
var words = &embeddedWords{
	repeat: 3, counts: [][]float64{{8, 0}, {0, 2}, {2, 0}, {4, 1}, {0, 0}},
	before: [][]float64{{1, 0, 0}, {-1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {9, 9, 9}},
	after:  [][]float64{{3, 4, 0}, {-3, -4, 0}, {3, 4, 0}, {0.4, -0.3, 0}, {9, 9, 9}},
}

func TestShares(t *testing.T) {
	t.Parallel()
	want := [][]float64{{1, 0}, {0, 1}, {1, 0}, {(4.0 / 14) / (4.0/14 + 1.0/3), (1.0 / 3) / (4.0/14 + 1.0/3)}, nil}
	for i, shares := range words.shares() {
		if !slices.EqualFunc(shares, want[i], func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
			t.Errorf("word %d: %v, want %v", i, shares, want[i])
		}
	}
	for share, want := range map[float64]int{0: 0, 0.1: 0, 0.3: 1, 0.5: 2, 0.7: 3, 0.9: 4, 1: 4} {
		if got := groupOf([]float64{1 - share, share}, groupsOfShares(2)); got != want {
			t.Errorf("a share of %v is in group %d, not %d", share, got, want)
		}
	}
	groups := groupsOfShares(3)
	for want, shares := range [][]float64{{0.4, 0.3, 0.3}, {0.6, 0.2, 0.2}, {0, 1, 0}, {0.1, 0.1, 0.8}} {
		if got := groupOf(shares, groups); got != want {
			t.Errorf("%v is in group %d, not %d", shares, got, want)
		}
	}
}

// TestPrincipal: the components of points on two axes are these, turned.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	u, v := []float64{0.6, 0, 0.8}, []float64{0, 1, 0}
	rows := make([][]float64, 200)
	var chosen []int
	for i := range rows {
		a, b := 3*r.NormFloat64(), r.NormFloat64()
		for k := range u {
			rows[i] = append(rows[i], a*u[k]+b*v[k])
		}
		if i > 0 {
			chosen = append(chosen, i)
		}
	}
	points, parts := principal(rows, chosen)
	if len(points) != 199 || parts[0] < 0.8 || math.Abs(parts[0]+parts[1]-1) > 1e-12 {
		t.Fatalf("%d points, parts %v", len(points), parts)
	}
	for i, p := range points {
		if row := rows[chosen[i]]; math.Abs(p.X*p.X+p.Y*p.Y-row[0]*row[0]-row[1]*row[1]-row[2]*row[2]) > 1e-9 {
			t.Fatalf("point %v of %v has another norm", p, row)
		}
	}
	for _, bad := range [][]int{nil, {1, 2}} {
		if points, _ := principal(rows, bad); points != nil {
			t.Errorf("%d rows have components", len(bad))
		}
	}
	same := [][]float64{{1, 2}, {1, 2}, {1, 2}}
	if points, _ := principal(same, []int{0, 1, 2}); points != nil {
		t.Error("rows that are the same have components")
	}
}

// TestWordFigures draws words before and after training, and their frequencies.
func TestWordFigures(t *testing.T) {
	t.Parallel()
	o, err := own(t.Context(), &analysis.Run{Layout: Layout, Dir: t.TempDir()})
	if err != nil || len(o.Figures)+len(o.Missing) != 0 {
		t.Fatalf("of no cells: %+v, %v", o, err)
	}
	dir := t.TempDir()
	cell, err := results.ParseCell(testrun.ID(3))
	if err != nil {
		t.Fatal(err)
	}
	row := &analysis.ScoreRow{Setting: layout.Setting{{Text: "sim1"}, {Text: "cnn"}}, Entries: []analysis.ScoreEntry{
		{}, {Cells: 2, Sample: []analysis.RepeatScore{{Repeat: 2, Status: experiment.Failed}, {Repeat: 3, Status: experiment.OK, Cell: cell}}},
	}}
	of := &analysis.Run{Layout: Layout, Dir: dir, Tables: []*analysis.ScoreTable{{Methods: []string{"none", "wmmd weight=3"}, Rows: []*analysis.ScoreRow{row}}}}
	if o, err = own(t.Context(), of); err != nil || len(o.Figures) != 0 || len(o.Missing) != 1 {
		t.Fatalf("without a table of words: %+v, %v", o, err)
	}
	batch := &experiment.Batch{}
	for i := range words.counts {
		if err := batch.Append(wordsTable.Columns, testrun.ID(3), i, "word", words.counts[i], words.before[i], words.after[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := results.WriteTable(filepath.Join(dir, "words.arrow"), wordsTable, "test", batch, results.ZSTD); err != nil {
		t.Fatal(err)
	}
	if o, err = own(t.Context(), of); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range o.Figures {
		names = append(names, f.Name)
		if drawn, _ := f.Draw(); drawn != nil {
			t.Errorf("%s is drawn without words", f.Name)
		}
	}
	if want := []string{"frequencies-sim1-cnn", "embedding-wmmd-sim1-cnn"}; !slices.Equal(names, want) {
		t.Fatalf("figures %q, want %q", names, want)
	}
	if err := o.Read(t.Context(), map[string]bool{testrun.ID(3): true}); err != nil {
		t.Fatal(err)
	}
	f, _ := o.Figures[1].Draw()
	if f.Title != "Embedding after training with wMMD: sim1, CNN" || f.Note != "4 words of the training part of repeat 3" || len(f.Series) != 3 || len(f.Series[0].Pieces) != 2 {
		t.Errorf("%s, %s, %d series", f.Title, f.Note, len(f.Series))
	}
	frequencies, _ := o.Figures[0].Draw()
	if y := frequencies.Series[0].Pieces[0][3].Y; math.Abs(y-4.0/14) > 1e-15 {
		t.Errorf("word 3 has the share %v of class 1", y)
	}
}
