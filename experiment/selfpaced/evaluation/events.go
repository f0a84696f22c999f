package evaluation

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

const eventBins = 24

// eventFigure draws the ages at which complete paths turn and jump, as shares of their own kind:
// the numbers of the two differ by orders of magnitude.
func (p *paths) eventFigure(row *analysis.ScoreRow, method int) (*layout.Figure, string) {
	lo, hi := math.Inf(1), math.Inf(-1)
	ages, repeats := map[string][]float64{}, 0
	for _, sample := range row.Entries[method].Sample {
		knots, _ := analysis.KnotsToDraw(p.knots[sample.Cell.String()])
		if !sample.Whole() || len(knots) == 0 {
			continue
		}
		repeats++
		for _, k := range knots {
			lo, hi = min(lo, k.Age), max(hi, k.Age)
			ages[k.Event] = append(ages[k.Event], k.Age)
		}
	}
	if len(ages[eventTurning])+len(ages[eventJump]) == 0 || !(lo < hi) {
		return nil, "no complete path of it has a turning point or a jump"
	}
	f := &layout.Figure{
		Title:   "Critical points: " + selfpaced.Layout.Describe(row.Setting),
		Caption: "Each bar is a share of the points of its kind.",
		X:       layout.AxisLabel{Text: selfpaced.Layout.Path.Label, Log: layout.SpansDecade(lo, hi)},
		Y:       layout.AxisLabel{Text: "share of the points of the kind (%)", Zero: true},
	}
	var numbers []string
	for i, kind := range []struct {
		event, noun string
		mark        layout.Mark
	}{{eventTurning, "turning points", layout.Circle}, {eventJump, "jumps", layout.Pyramid}} {
		if n := len(ages[kind.event]); n > 0 {
			number := strconv.Itoa(n)
			if repeats > 1 {
				number = prose.Fixed(float64(n)/float64(repeats), 1)
			}
			numbers = append(numbers, number+" "+kind.noun)
			f.Series = append(f.Series, layout.Series{
				Name: kind.noun, Pieces: [][]layout.Point{histogram(ages[kind.event], lo, hi, f.X.Log)},
				Style: &layout.Style{Class: i, Line: true, Bars: true, Width: 1.4, Mark: kind.mark, Size: 2.2},
			})
		}
	}
	f.Note = fmt.Sprintf("%s%s a path, %s", p.run.Data.SizesOf(row.Setting), strings.Join(numbers, " and "), prose.MeanOver("mean", prose.Plural(repeats, "repeat")))
	return f, ""
}

// histogram returns the beginning of each bin with its percentage of the ages, and hi with 0. Bins
// have equal width on the axis.
func histogram(ages []float64, lo, hi float64, logarithmic bool) []layout.Point {
	position := func(age float64) float64 { return (age - lo) / (hi - lo) }
	edge := func(t float64) float64 { return lo + t*(hi-lo) }
	if logarithmic {
		position = func(age float64) float64 { return math.Log(age/lo) / math.Log(hi/lo) }
		edge = func(t float64) float64 { return lo * math.Pow(hi/lo, t) }
	}
	bins := make([]layout.Point, eventBins+1)
	for i := range bins {
		bins[i].X = edge(float64(i) / eventBins)
	}
	counts := make([]int, eventBins)
	for _, age := range ages {
		counts[min(max(int(position(age)*eventBins), 0), eventBins-1)]++
	}
	for i, n := range counts {
		bins[i].Y = 100 * float64(n) / float64(len(ages))
	}
	return bins
}
