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
}

// ReadKnots adds the knots of the cells in the map. One batch is in memory at a time.
func ReadKnots(ctx context.Context, dir string, of *layout.Path, cells map[string][]Knot) error {
	columns := []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: of.Number, Type: experiment.Int},
		{Name: of.Step, Type: experiment.Float}, {Name: of.Score, Type: experiment.Float},
	}
	if of.Event != "" {
		columns = append(columns, experiment.Column{Name: of.Event, Type: experiment.Text})
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
			}
			if !score.IsNull(row) {
				k.Score = score.Floats[row]
			}
			cells[cell] = append(cells[cell], k)
		}
		return nil
	})
}

// farEnd is the ratio of the last two ages beyond which figures leave out the last knot: derived
// ranges end at up to a billion times the age at which all samples are in.
const farEnd = 1e4

// KnotsToDraw sorts the knots by number and returns those before a far end.
func KnotsToDraw(knots []Knot) []Knot {
	slices.SortStableFunc(knots, func(a, b Knot) int { return cmp.Compare(a.Number, b.Number) })
	if n := len(knots); n > 2 && knots[n-1].Age > farEnd*knots[n-2].Age {
		return knots[:n-1]
	}
	return knots
}
