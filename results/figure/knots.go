package figure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/stats"
)

// A path is a sequence of continuous pieces. Each begins with a start (of the path, or a landing)
// and ends with a jump (the last point before a landing), with a turning point at which it lands
// again, or with the end.
const (
	eventStart   = "start"
	eventTurning = "turning"
	eventJump    = "jump"
	eventOther   = "grid" // grid and end
)

type knot struct {
	number int64
	age    float64
	event  string
	score  float64 // NaN if missing
}

type cellKnots struct {
	knots  []knot
	values map[int64][]float64
}

// readKnots adds to the cells in the map. One batch is in memory at a time.
func readKnots(ctx context.Context, path string, of *layout.Path, cells map[string]*cellKnots) error {
	columns := []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: of.Number, Type: experiment.Int},
		{Name: of.Step, Type: experiment.Float}, {Name: of.Score, Type: experiment.Float},
	}
	if of.Event != "" {
		columns = append(columns, experiment.Column{Name: of.Event, Type: experiment.Text})
	}
	return results.EachBatchOf(ctx, path, isOf(cells), columns, func(v []*experiment.Vector) error {
		number, age, score := v[1], v[2], v[3]
		for row, cell := range v[0].Texts {
			c := cells[cell]
			if c == nil || age.IsNull(row) {
				continue
			}
			k := knot{number: number.Ints[row], age: age.Floats[row], event: eventOther, score: math.NaN()}
			if of.Event != "" {
				k.event = knownEvent(v[4].Texts[row])
			}
			if !score.IsNull(row) {
				k.score = score.Floats[row]
			}
			c.knots = append(c.knots, k)
		}
		return nil
	})
}

func readCoefficients(ctx context.Context, path string, of *layout.Path, cells map[string]*cellKnots) error {
	columns := []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: of.Number, Type: experiment.Int}, {Name: of.Value, Type: experiment.FloatList},
	}
	return results.EachBatchOf(ctx, path, isOf(cells), columns, func(v []*experiment.Vector) error {
		for row, cell := range v[0].Texts {
			if c := cells[cell]; c != nil && !v[2].IsNull(row) {
				c.values[v[1].Ints[row]] = slices.Clone(v[2].Lists[row])
			}
		}
		return nil
	})
}

func isOf(cells map[string]*cellKnots) func(string) bool {
	return func(cell string) bool { return cells[cell] != nil }
}

// knownEvent releases the batch's memory.
func knownEvent(event string) string {
	for _, known := range []string{eventStart, eventTurning, eventJump} {
		if event == known {
			return known
		}
	}
	return eventOther
}

// farEnd is the ratio of the last two ages beyond which figures leave out the last knot: derived
// ranges end at up to a billion times the age at which all samples are in.
const farEnd = 1e4

// toDraw sorts the knots by number and returns those before a far end.
func toDraw(knots []knot) []knot {
	slices.SortStableFunc(knots, func(a, b knot) int { return cmp.Compare(a.number, b.number) })
	if n := len(knots); n > 2 && knots[n-1].age > farEnd*knots[n-2].age {
		return knots[:n-1]
	}
	return knots
}

// newScorePath returns nil if no knot has a score.
func newScorePath(knots []knot) *scorePath {
	p := &scorePath{}
	for _, k := range toDraw(knots) {
		if !stats.Finite(k.score) {
			continue
		}
		p.ages = append(p.ages, k.age)
		p.scores = append(p.scores, k.score)
		p.begins = append(p.begins, len(p.begins) == 0 || k.event == eventStart)
	}
	if len(p.ages) == 0 {
		return nil
	}
	return p
}

func newAgePath(c *cellKnots) (*AgePath, error) {
	p := &AgePath{}
	for _, k := range toDraw(c.knots) {
		v, ok := c.values[k.number]
		if !ok {
			return nil, fmt.Errorf("knot %d has no coefficients", k.number)
		}
		p.Ages = append(p.Ages, k.age)
		p.Events = append(p.Events, k.event)
		p.Values = append(p.Values, v)
	}
	return p, nil
}

func tableFile(table string) string { return table + ".arrow" }
