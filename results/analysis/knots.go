package analysis

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"unique"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// EventStart begins a continuous piece of a path: its beginning, or a landing.
const EventStart = "start"

// Knot is a point of a path.
type Knot struct {
	Number int64
	Age    float64
	Event  string  // "" if the kind has none
	Score  float64 // NaN if missing
	In     float64 // share of the rows that count, 0 if unknown
	Down   bool    // of a path along which the steps fall
	Begins bool    // a continuous piece, in the order of [KnotsToDraw]
}

// ReadKnots adds the knots of the cells in the map. One batch is in memory at a time.
func ReadKnots(ctx context.Context, dir string, of *layout.Path, cells map[string][]Knot) error {
	columns := []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: of.Number, Type: experiment.Int},
		{Name: of.Step, Type: experiment.Float}, {Name: of.Score, Type: experiment.Float},
	}
	if of.Event != "" {
		columns = append(columns, experiment.Column{Name: of.Event, Type: experiment.Text}, experiment.Column{Name: of.Direction, Type: experiment.Text})
		for _, name := range of.Counts {
			columns = append(columns, experiment.Column{Name: name, Type: experiment.Int})
		}
	}
	wanted := func(cell string) bool { _, there := cells[cell]; return there }
	return results.EachBatchOf(ctx, filepath.Join(dir, of.File()), wanted, columns, func(v []*experiment.Vector) error {
		number, age, score := v[1], v[2], v[3]
		for row, cell := range v[0].Texts {
			if !wanted(cell) || age.IsNull(row) {
				continue
			}
			k := Knot{Number: number.Ints[row], Age: age.Floats[row], Score: math.NaN()}
			if of.Event != "" {
				k.Event = unique.Make(v[4].Texts[row]).Value() // outside the batch's memory
				k.Down = v[5].Texts[row] == of.Down
				in := v[6].Ints[row] + v[7].Ints[row] // 0 where null
				k.In = float64(in) / float64(max(1, in+v[8].Ints[row]))
			}
			if !score.IsNull(row) {
				k.Score = score.Floats[row]
			}
			cells[cell] = append(cells[cell], k)
		}
		return nil
	})
}

// KnotsToDraw returns the knots of a path in ascending order of steps, and those of the path down apart
// if there is one up.
func KnotsToDraw(knots []Knot) (path, down []Knot) {
	slices.SortStableFunc(knots, func(a, b Knot) int { return cmp.Compare(a.Number, b.Number) })
	if falls := slices.IndexFunc(knots, func(k Knot) bool { return k.Down }); falls > 0 {
		down, _ = KnotsToDraw(knots[falls:])
		knots = knots[:falls]
	}
	before := 0
	if len(knots) > 0 && knots[0].Down { // a piece ends where the next one begins
		slices.Reverse(knots)
		before = 1
	}
	for k := range knots {
		knots[k].Begins = k == 0 || knots[k-before].Event == EventStart
	}
	return knots, down
}
