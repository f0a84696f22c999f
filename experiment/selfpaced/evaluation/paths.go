package evaluation

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

const coefficients = "coefficients" // a table

// paths are those that figures of a run show, by cell.
type paths struct {
	run    *analysis.Run
	knots  map[string][]analysis.Knot
	values map[string]map[int64][]float64 // coefficients by knot, of cells that figures need them of
}

// addPaths takes the highest noise level and the middle parameters for each data set, model and
// regularizer with a path.
func addPaths(o *layout.Part, r *analysis.Run) {
	p := &paths{r, map[string][]analysis.Knot{}, map[string]map[int64][]float64{}}
	for _, table := range r.Tables {
		p.plan(o, analysis.AtFullExtent(table))
	}
	o.Read = p.read
	knots := selfpaced.Layout.Path.File()
	missing := func(file string) bool { _, err := os.Stat(filepath.Join(r.Dir, file)); return err != nil }
	drop := func(kinds ...string) (dropped bool) {
		n := len(o.Figures)
		o.Figures = slices.DeleteFunc(o.Figures, func(f layout.FigurePlan) bool { return slices.Contains(kinds, f.Kind) })
		return len(o.Figures) < n && !r.Partial
	}
	if missing(knots) || missing(coefficients+".arrow") {
		drop(selfpaced.FigurePath, selfpaced.FigureConsistency)
		clear(p.values)
	}
	if missing(knots) && drop(selfpaced.FigureEvents) {
		o.Missing = append(o.Missing, fmt.Sprintf("histograms of critical points: there is no %s (keep: {%s: true} in the grid makes it).", knots, selfpaced.Layout.Path.Table))
	}
}

func (p *paths) plan(o *layout.Part, table *analysis.ScoreTable) {
	gaga := slices.Index(table.Methods, selfpaced.GAGA)
	if gaga < 0 {
		return
	}
	acs := slices.IndexFunc(table.Methods, func(m string) bool { return analysis.MethodName(m) == selfpaced.ACS })
	noise := []layout.Dimension{selfpaced.DimNoiseKind, selfpaced.DimNoiseLevel}
	free := slices.Concat(noise, table.Layout.Parameters())
	for _, rows := range table.Groups(free...) {
		rows = slices.DeleteFunc(rows, func(r *analysis.ScoreRow) bool { return r.Entries[gaga].Failed == r.Entries[gaga].Cells })
		if len(rows) == 0 {
			continue
		}
		last := rows[len(rows)-1].Setting // sorted by noise
		rows = slices.DeleteFunc(rows, func(r *analysis.ScoreRow) bool {
			return slices.ContainsFunc(noise, func(d layout.Dimension) bool { return r.Setting[d] != last[d] })
		})
		row := rows[(len(rows)-1)/2]
		add := func(kind string, cells []string, draw func() (*layout.Figure, string)) {
			name := prose.Slug(kind, table.Layout.SettingName(last, free...))
			o.Figures = append(o.Figures, layout.FigurePlan{Kind: kind, Name: name, Setting: row.Setting, Cells: cells, Draw: draw})
		}
		p.addPath(add, row, gaga)
		cells := lists.Map(row.Entries[gaga].Sample, func(s analysis.RepeatScore) string { return s.Cell.String() })
		add(selfpaced.FigureEvents, cells, func() (*layout.Figure, string) { return p.eventFigure(row, gaga) })
		if acs >= 0 && row.Entries[acs].Cells > 0 {
			p.addPath(add, row, gaga, acs)
		}
	}
}

// addPath shows the first repeat in which all methods have a path, if possible a complete one.
func (p *paths) addPath(add func(kind string, cells []string, draw func() (*layout.Figure, string)), row *analysis.ScoreRow, methods ...int) {
	kind := selfpaced.FigurePath
	if len(methods) > 1 {
		kind = selfpaced.FigureConsistency
	}
	for _, cut := range []bool{false, true} {
		found := map[int64][]string{}
		for _, method := range methods {
			for _, sample := range row.Entries[method].Sample {
				if sample.Whole() || cut && sample.Status.Computed() {
					found[sample.Repeat] = append(found[sample.Repeat], sample.Cell.String())
				}
			}
		}
		for _, repeat := range slices.Sorted(maps.Keys(found)) {
			if cells := found[repeat]; len(cells) == len(methods) {
				for _, cell := range cells {
					p.values[cell] = map[int64][]float64{}
				}
				add(kind, cells, func() (*layout.Figure, string) { return p.pathFigure(row.Setting, cells, repeat, cut) })
				return
			}
		}
	}
	add(kind, nil, func() (*layout.Figure, string) { return nil, "no repeat has the paths of all its methods" })
}

// read makes one pass over each file.
func (p *paths) read(ctx context.Context, cells map[string]bool) error {
	of := selfpaced.Layout.Path
	maps.DeleteFunc(p.values, func(cell string, _ map[int64][]float64) bool { return !cells[cell] })
	for cell := range cells {
		p.knots[cell] = nil
	}
	if err := analysis.ReadKnots(ctx, p.run.Dir, of, p.knots); err != nil || len(p.values) == 0 {
		return err
	}
	columns := []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: of.Number, Type: experiment.Int}, {Name: "values", Type: experiment.FloatList},
	}
	wanted := func(cell string) bool { return p.values[cell] != nil }
	return results.EachBatchOf(ctx, filepath.Join(p.run.Dir, coefficients+".arrow"), wanted, columns, func(v []*experiment.Vector) error {
		for row, cell := range v[0].Texts {
			if wanted(cell) && !v[2].IsNull(row) {
				p.values[cell][v[1].Ints[row]] = slices.Clone(v[2].Lists[row])
			}
		}
		return nil
	})
}

// agePath says what is missing if there is no path.
func (p *paths) agePath(cell string) (path *agePath, missing string) {
	path = &agePath{}
	knots, _ := analysis.KnotsToDraw(p.knots[cell])
	for _, k := range knots {
		v, ok := p.values[cell][k.Number]
		if !ok {
			break
		}
		path.ages, path.events, path.values = append(path.ages, k.Age), append(path.events, k.Event), append(path.values, v)
		path.begins = append(path.begins, k.Begins)
	}
	if len(path.ages) == 0 || len(path.ages) < len(knots) {
		return nil, "the files have no coefficients of the cell " + cell
	}
	if fault := path.fault(); fault != "" {
		return nil, fmt.Sprintf("cell %s: %s", cell, fault)
	}
	return path, ""
}

// pathFigure draws the path of the first cell, over that of the second if there is one.
func (p *paths) pathFigure(setting layout.Setting, cells []string, repeat int64, cut bool) (f *layout.Figure, missing string) {
	path, missing := p.agePath(cells[0])
	if path == nil {
		return nil, missing
	}
	data, counted := p.run.Data, "Features"
	for _, read := range data.Readings {
		if read.Name == setting[selfpaced.DimDataset].Text && len(read.Features) == path.width() {
			path.names, counted = read.Features, ""
		}
	}
	n, ok := data.Size[setting[selfpaced.DimDataset].Text]
	multipliers := ok && int64(path.width()) != n.Features
	if multipliers {
		counted, path.names = "Training samples", nil
		for i := range path.width() {
			path.names = append(path.names, fmt.Sprintf("sample %d", i))
		}
	}
	title := "Age path: "
	if len(cells) > 1 {
		title = "Age path over alternate convex search: "
		steps, missing := p.agePath(cells[1])
		switch {
		case steps == nil:
			return nil, missing
		case steps.width() != path.width():
			return nil, fmt.Sprintf("the paths of its methods have %d and %d coefficients", path.width(), steps.width())
		}
		if f = path.consistencyFigure(steps); f == nil {
			return nil, "the ages of its methods do not overlap"
		}
	} else if f = path.figure(); f == nil {
		return nil, "every coefficient is 0 at every knot"
	}
	f.Title = title + selfpaced.Layout.Describe(setting)
	words := fmt.Sprintf("%srepeat %d, %s", data.SizesOf(setting), repeat, prose.Plural(len(path.ages), "knot"))
	if cut {
		words += fmt.Sprintf(", incomplete: the path stops at λ=%.3g", path.ages[len(path.ages)-1])
	}
	f.Note = strings.Join(slices.DeleteFunc([]string{words, f.Note}, func(s string) bool { return s == "" }), "; ")
	if multipliers {
		f.Y.Text = "multiplier of the sample"
	}
	f.Caption += fmt.Sprintf("Cell %s.", cells[0])
	if counted != "" {
		f.Caption += " " + counted + " are counted from 0."
	}
	return f, ""
}

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
