package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/prose"
	"gonum.org/v1/plot/vg/draw"
)

const eventBins = 24

// eventFigure draws the ages at which paths turn and jump, as shares of their own kind: the numbers
// of the two differ by orders of magnitude. It returns nil if no path has either.
func eventFigure(plan figurePlan, data *analysis.DataFacts, knots func(*analysis.ScoreEntry) []*cellKnots) *Figure {
	row := plan.rows[0]
	paths := knots(&row.Entries[plan.methodIndex(plan.table.Layout.Path.Main)])
	lo, hi := math.Inf(1), math.Inf(-1)
	ages := map[string][]float64{}
	for _, path := range paths {
		for _, k := range toDraw(path.knots) {
			lo, hi = min(lo, k.age), max(hi, k.age)
			ages[k.event] = append(ages[k.event], k.age)
		}
	}
	if len(ages[eventTurning])+len(ages[eventJump]) == 0 || !(lo < hi) {
		return nil
	}
	f := &Figure{
		Title: "Critical points: " + plan.table.Layout.Describe(row.Setting),
		X:     AxisLabel{Text: plan.table.Layout.Path.Label, Log: spansDecade(lo, hi)},
		Y:     AxisLabel{Text: "share of the points of the kind (%)", Zero: true},
	}
	var numbers []string
	for _, kind := range []struct {
		event, noun string
		style       seriesStyle
	}{
		{eventTurning, "turning points", seriesStyle{color: okabeIto[0], width: 1.4, bars: true, glyph: draw.CircleGlyph{}}},
		{eventJump, "jumps", seriesStyle{color: okabeIto[1], width: 1.4, dashes: dashPatterns[1], bars: true, glyph: draw.PyramidGlyph{}}},
	} {
		if n := len(ages[kind.event]); n > 0 {
			number := strconv.Itoa(n)
			if len(paths) > 1 {
				number = prose.Fixed(float64(n)/float64(len(paths)), 1)
			}
			numbers = append(numbers, number+" "+kind.noun)
			kind.style.radius = 2.2
			f.Series = append(f.Series, Series{Name: kind.noun, Pieces: [][]Point{histogram(ages[kind.event], lo, hi, f.X.Log)}, style: kind.style})
		}
	}
	f.Note = fmt.Sprintf("%s%s a path, %s", data.SizesOf(row.Setting), strings.Join(numbers, " and "), meanOver("mean", prose.Plural(len(paths), "repeat")))
	f.Caption = "Each bar is a share of the points of its kind."
	return f
}

// histogram returns the beginning of each bin with its percentage of the ages, and hi with 0. Bins
// have equal width on the axis.
func histogram(ages []float64, lo, hi float64, logarithmic bool) []Point {
	position := func(age float64) float64 { return (age - lo) / (hi - lo) }
	edge := func(t float64) float64 { return lo + t*(hi-lo) }
	if logarithmic {
		position = func(age float64) float64 { return math.Log(age/lo) / math.Log(hi/lo) }
		edge = func(t float64) float64 { return lo * math.Pow(hi/lo, t) }
	}
	bins := make([]Point, eventBins+1)
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

func outline(bins []Point) []Point {
	stairs := []Point{{X: bins[0].X}}
	for i := range bins[:len(bins)-1] {
		stairs = append(stairs, Point{X: bins[i].X, Y: bins[i].Y}, Point{X: bins[i+1].X, Y: bins[i].Y})
	}
	return append(stairs, Point{X: bins[len(bins)-1].X})
}

func tops(bins []Point, logarithmic bool) []Point {
	var middles []Point
	for i := range bins[:len(bins)-1] {
		if bins[i].Y == 0 {
			continue
		}
		x := (bins[i].X + bins[i+1].X) / 2
		if logarithmic {
			x = math.Sqrt(bins[i].X * bins[i+1].X)
		}
		middles = append(middles, Point{X: x, Y: bins[i].Y})
	}
	return middles
}
