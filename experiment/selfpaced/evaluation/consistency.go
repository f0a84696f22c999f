package evaluation

import (
	"fmt"
	"math"
	"sort"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// consistencyPoints limits the drawn ages of alternate convex search.
const consistencyPoints = 40

var consistencyMarks = []layout.Mark{layout.Ring, layout.Square, layout.Triangle, layout.Cross, layout.Plus, layout.Box, layout.Pyramid}

// consistencyFigure draws the largest coefficients of the age path as lines, and those of alternate
// convex search as markers; nil if they have no age in common.
func (p *agePath) consistencyFigure(steps *agePath) *layout.Figure {
	f := p.axes()
	labels := analysis.MethodLabels([]string{selfpaced.GAGA, selfpaced.ACS})
	order, sizes := p.bySize()
	for i, j := range order[:min(namedCoefficients, len(order))] {
		if sizes[j] == 0 {
			break
		}
		points := make([]layout.Point, len(steps.ages))
		for k, age := range steps.ages {
			points[k] = layout.Point{X: age, Y: steps.values[k][j]}
		}
		f.Series = append(f.Series,
			layout.Series{Name: labels[0] + ", " + p.name(j), Pieces: p.pieces(j), Style: &layout.Style{Class: i, Line: true}},
			layout.Series{
				Name: labels[1] + ", " + p.name(j), Pieces: [][]layout.Point{points}, Most: consistencyPoints,
				Style: &layout.Style{Class: i, Mark: consistencyMarks[i], Size: 2.4},
			})
	}
	far, all := p.distances(steps, order, sizes)
	if all == 0 || len(f.Series) == 0 {
		return nil
	}
	f.Note = fmt.Sprintf("%s is on the path at %d of %d ages", labels[1], all-far, all)
	f.Caption = fmt.Sprintf("%s is on the path where no coefficient differs by more than 1 %% of the largest; at most %d ages are drawn. ", labels[1], consistencyPoints)
	return f
}

// distances counts the ages of steps on the path, and those at which some coefficient differs by
// more than a hundredth of the largest.
func (p *agePath) distances(steps *agePath, order []int, sizes []float64) (far, all int) {
	for k, age := range steps.ages {
		i := sort.Search(len(p.ages), func(i int) bool { return p.ages[i] > age }) - 1
		if i < 0 || age > p.ages[len(p.ages)-1] {
			continue
		}
		all++
		t := 0.0
		if i+1 < len(p.ages) && !p.begins[i+1] && p.ages[i+1] > p.ages[i] {
			t = (age - p.ages[i]) / (p.ages[i+1] - p.ages[i])
		}
		for j := range sizes {
			at := p.values[i][j]
			if t > 0 {
				at += t * (p.values[i+1][j] - at)
			}
			if math.Abs(at-steps.values[k][j]) > 0.01*sizes[order[0]] {
				far++
				break
			}
		}
	}
	return far, all
}
