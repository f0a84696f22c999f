package figure

import (
	"fmt"
	"math"
	"sort"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"gonum.org/v1/plot/vg"
)

// consistencyPoints limits the drawn ages of alternate convex search.
const consistencyPoints = 40

// consistencyFigure draws the largest coefficients of the age path as lines, and those of alternate
// convex search as markers; nil if they have no age in common.
func consistencyFigure(of *layout.Path, path, steps *AgePath) (*Figure, error) {
	for _, p := range []*AgePath{path, steps} {
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("age path: %w", err)
		}
	}
	if len(path.Values[0]) != len(steps.Values[0]) {
		return nil, fmt.Errorf("age paths: %d values at a knot of %s and %d of %s", len(path.Values[0]), of.Main, len(steps.Values[0]), of.Steps)
	}
	f := &Figure{
		X: AxisLabel{Text: of.Label, Log: spansDecade(path.Ages[0], path.Ages[len(path.Ages)-1])},
		Y: AxisLabel{Text: "coefficient of the scaled feature"},
	}
	labels := analysis.MethodLabels([]string{of.Main, of.Steps})
	order, sizes := path.bySize()
	for i, j := range order[:min(namedCoefficients, len(order))] {
		if sizes[j] == 0 {
			break
		}
		f.Series = append(f.Series, Series{
			Name: labels[0] + ", " + path.name(j), Pieces: path.pieces(j),
			style: seriesStyle{color: okabeIto[i], width: 1.2, dashes: dashPatterns[i]},
		})
		points := make([]Point, len(steps.Ages))
		for k, age := range steps.Ages {
			points[k] = Point{X: age, Y: steps.Values[k][j]}
		}
		f.Series = append(f.Series, Series{
			Name: labels[1] + ", " + path.name(j), Pieces: [][]Point{points},
			style: seriesStyle{color: okabeIto[i], glyph: consistencyGlyphs[i], radius: vg.Points(2.4), markers: consistencyPoints},
		})
	}
	far, all := path.distances(steps, order, sizes)
	if all == 0 || len(f.Series) == 0 {
		return nil, nil
	}
	f.Note = fmt.Sprintf("%s is on the path at %d of %d ages", labels[1], all-far, all)
	f.Caption = fmt.Sprintf("%s is on the path where no coefficient differs by more than 1 %% of the largest; at most %d ages are drawn. ", labels[1], consistencyPoints)
	return f, nil
}

// distances counts the ages of steps on the path, and those at which some coefficient differs by
// more than a hundredth of the largest.
func (p *AgePath) distances(steps *AgePath, order []int, sizes []float64) (far, all int) {
	for k, age := range steps.Ages {
		i := sort.Search(len(p.Ages), func(i int) bool { return p.Ages[i] > age }) - 1
		if i < 0 || age > p.Ages[len(p.Ages)-1] {
			continue
		}
		all++
		t := 0.0
		if i+1 < len(p.Ages) && p.Events[i+1] != eventStart && p.Ages[i+1] > p.Ages[i] {
			t = (age - p.Ages[i]) / (p.Ages[i+1] - p.Ages[i])
		}
		for j := range sizes {
			at := p.Values[i][j]
			if t > 0 {
				at += t * (p.Values[i+1][j] - at)
			}
			if math.Abs(at-steps.Values[k][j]) > 0.01*sizes[order[0]] {
				far++
				break
			}
		}
	}
	return far, all
}
