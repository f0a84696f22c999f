package benchmark

import (
	"cmp"
	"context"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// mainSolver is the reference.
const mainSolver = "rehline"

// gapTargets are relative gaps, coarsest first, and the measures of the seconds to reach them.
var gapTargets = []struct {
	gap    float64
	column string
}{{levels[0], "seconds_1e3"}, {levels[1], "seconds_1e5"}, {levels[2], "seconds_1e8"}}

type comparison struct {
	*analysis.Run
	Methods  []string // with settings, in the order of tables
	Labels   []string
	families []string // by method
	problems []compared
}

type compared struct {
	setting layout.Setting
	results []reached // by method
}

// reached has a method's medians over the computed repeats of a problem.
type reached struct {
	repeats    int       // computed; with 0 nothing else is known
	seconds    []float64 // by target, infinite if not reached
	setup      float64   // seconds, NaN if unknown
	gap        float64   // smallest, infinite if no point is feasible
	overclaims int64     // points, in all repeats, with a claimed gap better than certified
	cells      []string
	steps      []string // by target, the points up to it in all repeats; "" if unknown
}

// standing counts pairs of method and problem for a target.
type standing struct {
	taken, solved, fastest int     // computed; reached the target; first of all methods
	tied                   int     // fastest, or by the same steps
	compared               int     // also solved by main
	mean, least, most      float64 // geometric mean, range of time / main's time; NaN if none
}

type exception struct {
	problem *compared
	method  int     // the fastest
	ratio   float64 // main's time / fastest time, infinite if main fails
	tied    bool    // same steps as main
}

func (c *comparison) main() int { return slices.Index(c.Methods, mainSolver) }

func (p *compared) time(method, target int) float64 {
	if method < 0 || p.results[method].repeats == 0 {
		return math.Inf(1)
	}
	return p.results[method].seconds[target]
}

// fastest also returns the time, infinite if none reached the target.
func (p *compared) fastest(target int, methods []int) (method int, seconds float64) {
	method = slices.MinFunc(methods, func(a, b int) int { return cmp.Compare(p.time(a, target), p.time(b, target)) })
	return method, p.time(method, target)
}

// tied reports whether two methods make the same steps (objectives and passes) to a target in all
// repeats: times differ by chance.
func (p *compared) tied(a, b, target int) bool {
	x, y := p.results[a].steps, p.results[b].steps
	return x != nil && y != nil && x[target] != "" && x[target] == y[target]
}

func (c *comparison) all(family string) []int {
	var list []int
	for m := range c.Methods {
		if family == "" || c.families[m] == family {
			list = append(list, m)
		}
	}
	return list
}

// standing counts each method or, with best, the fastest of them on each problem.
func (c *comparison) standing(target int, methods []int, best bool) standing {
	s := standing{}
	logs := []float64{}
	for i := range c.problems {
		p := &c.problems[i]
		first, least := p.fastest(target, c.all(""))
		main := p.time(c.main(), target)
		counted := methods
		if best {
			taken := slices.DeleteFunc(slices.Clone(methods), func(m int) bool { return p.results[m].repeats == 0 })
			if counted = nil; len(taken) > 0 {
				fastest, _ := p.fastest(target, taken)
				counted = []int{fastest}
			}
		}
		for _, m := range counted {
			seconds := p.time(m, target)
			if p.results[m].repeats > 0 {
				s.taken++
			}
			if math.IsInf(seconds, 1) {
				continue
			}
			s.solved++
			if seconds == least {
				s.fastest++
			}
			if seconds == least || p.tied(m, first, target) {
				s.tied++
			}
			if !math.IsInf(main, 1) {
				logs = append(logs, math.Log(seconds/main))
			}
		}
	}
	s.compared, s.mean, s.least, s.most = len(logs), math.NaN(), math.NaN(), math.NaN()
	if len(logs) > 0 {
		s.mean = math.Exp(stat.Mean(logs, nil))
		s.least, s.most = math.Exp(slices.Min(logs)), math.Exp(slices.Max(logs))
	}
	return s
}

// exceptions lists problems on which main is not the fastest, largest ratio first.
func (c *comparison) exceptions(target int) []exception {
	var list []exception
	for i := range c.problems {
		p := &c.problems[i]
		fastest, seconds := p.fastest(target, c.all(""))
		at := c.main()
		if main := p.time(at, target); seconds < main {
			list = append(list, exception{p, fastest, main / seconds, at >= 0 && p.tied(at, fastest, target)})
		}
	}
	slices.SortStableFunc(list, func(x, y exception) int { return cmp.Compare(y.ratio, x.ratio) })
	return list
}

// profile returns, ascending, time / fastest time on the problems that the method solved: the
// performance profile of Dolan and Moré (Mathematical Programming 91, 2002) at a ratio is the share
// of all problems with ratios up to it.
func (c *comparison) profile(target, method int) []float64 {
	var ratios []float64
	for i := range c.problems {
		p := &c.problems[i]
		if seconds := p.time(method, target); !math.IsInf(seconds, 1) {
			_, least := p.fastest(target, c.all(""))
			ratios = append(ratios, seconds/least)
		}
	}
	slices.Sort(ratios)
	return ratios
}

// growth groups problems that differ only in size, of at least two sizes, ascending.
func (c *comparison) growth() [][]*compared {
	type key struct {
		layout.Setting
		generator string
	}
	index := map[key]int{}
	var groups [][]*compared
	for i := range c.problems {
		p := &c.problems[i]
		k := key{p.setting.Without(dimDataset, dimRows), p.generator()}
		if k.generator == "" {
			continue
		}
		at, ok := index[k]
		if !ok {
			at = len(groups)
			index[k], groups = at, append(groups, nil)
		}
		groups[at] = append(groups[at], p)
	}
	groups = slices.DeleteFunc(groups, func(g []*compared) bool { return len(g) < 2 })
	for _, g := range groups {
		slices.SortFunc(g, func(x, y *compared) int { return cmp.Compare(x.size(), y.size()) })
	}
	return groups
}

func (p *compared) size() float64 { return p.setting[dimRows].Number }

func (p *compared) generator() string { return generator(p.setting[dimDataset].Text) }

// exponent returns the slope of log time on log size, NaN for fewer than two solved problems.
func exponent(group []*compared, target, method int) float64 {
	var x, y []float64
	for _, p := range group {
		if seconds := p.time(method, target); !math.IsInf(seconds, 1) {
			x, y = append(x, math.Log(p.size())), append(y, math.Log(seconds))
		}
	}
	if len(x) < 2 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}

type measured struct {
	setup, gap float64
	overclaims int64
	seconds    []float64 // by target
}

func compare(ctx context.Context, r *analysis.Run) (*comparison, error) {
	table := r.Data.Unscored
	c := &comparison{Run: r, Methods: table.Methods, Labels: analysis.MethodLabels(table.Methods), families: make([]string, len(table.Methods))}
	columns := []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: "method", Type: experiment.Text}, {Name: "family", Type: experiment.Text},
		{Name: "overclaims", Type: experiment.Int}, {Name: "setup_seconds", Type: experiment.Float}, {Name: "final_gap", Type: experiment.Float},
	}
	for _, target := range gapTargets {
		columns = append(columns, experiment.Column{Name: target.column, Type: experiment.Float})
	}
	cells := map[string]measured{}
	_, err := results.EachNewest(ctx, r.Dir, "cells", columns, func(f *results.Frame) error {
		v, err := f.Vectors(filepath.Join(r.Dir, results.CellsFile), columns)
		if err != nil {
			return err
		}
		for row := range f.Rows() {
			if m := slices.Index(c.Methods, v[1].Texts[row]); m >= 0 {
				c.families[m] = v[2].Texts[row]
			}
			of := measured{setup: v[4].Float(row, math.NaN()), gap: v[5].Float(row, math.Inf(1)), overclaims: v[3].Ints[row]}
			for k := range gapTargets {
				of.seconds = append(of.seconds, v[6+k].Float(row, math.Inf(1)))
			}
			cells[v[0].Texts[row]] = of
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, row := range table.Rows {
		p := compared{setting: row.Setting}
		for j := range row.Entries {
			p.results = append(p.results, reachedBy(row.Entries[j].Sample, cells))
		}
		c.problems = append(c.problems, p)
	}
	return c, c.addSteps(ctx)
}

func reachedBy(sample []analysis.RepeatScore, all map[string]measured) reached {
	of := reached{seconds: make([]float64, len(gapTargets))}
	var setups, gaps []float64
	seconds := make([][]float64, len(gapTargets))
	for i := range sample {
		if !sample[i].Status.Computed() {
			continue
		}
		cell := sample[i].Cell.String()
		m := all[cell]
		setups, gaps = append(setups, m.setup), append(gaps, m.gap)
		of.repeats, of.overclaims, of.cells = of.repeats+1, of.overclaims+m.overclaims, append(of.cells, cell)
		for k := range seconds {
			seconds[k] = append(seconds[k], m.seconds[k])
		}
	}
	if of.repeats == 0 {
		return of
	}
	of.setup, of.gap = dataset.MedianOf(setups), dataset.MedianOf(gaps)
	for k := range seconds {
		of.seconds[k] = dataset.MedianOf(seconds[k])
	}
	return of
}

var pointColumns = []experiment.Column{
	{Name: "cell", Type: experiment.Text}, {Name: "gap", Type: experiment.Float}, {Name: "violation", Type: experiment.Float},
	{Name: "objective", Type: experiment.Float}, {Name: "passes", Type: experiment.Float}, {Name: "seconds", Type: experiment.Float},
}

// eachPoint calls do with vectors in the order of pointColumns.
func eachPoint(ctx context.Context, dir string, wanted func(cell string) bool, do func(cell string, row int, v []*experiment.Vector)) error {
	path := filepath.Join(dir, curveTable.Name+".arrow")
	return results.EachBatchOf(ctx, path, wanted, pointColumns, func(v []*experiment.Vector) error {
		for row, cell := range v[0].Texts {
			if wanted(cell) {
				do(cell, row, v)
			}
		}
		return nil
	})
}

// trace is a running hash of points, and its value at each target.
type trace struct {
	hash.Hash
	reached []string
}

func (c *comparison) addSteps(ctx context.Context) error {
	if !c.curves() {
		return nil // the run has not ended, or the grid does not keep the table
	}
	traces := map[string]*trace{}
	for i := range c.problems {
		for _, r := range c.problems[i].results {
			for _, cell := range r.cells {
				traces[cell] = &trace{fnv.New128a(), make([]string, len(gapTargets))}
			}
		}
	}
	wanted := func(cell string) bool { return traces[cell] != nil }
	err := eachPoint(ctx, c.Dir, wanted, func(cell string, row int, v []*experiment.Vector) {
		t, gap, passes := traces[cell], v[1], v[4]
		fmt.Fprintf(t, "%v %x %x;", passes.IsNull(row), passes.Floats[row], v[3].Floats[row])
		for k, target := range gapTargets {
			if !gap.IsNull(row) && gap.Floats[row] <= target.gap && v[2].Floats[row] <= feasible && t.reached[k] == "" {
				t.reached[k] = string(t.Sum(nil))
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range c.problems {
		for m := range c.problems[i].results {
			r := &c.problems[i].results[m]
			r.steps = make([]string, len(gapTargets))
			for k := range r.steps {
				for _, cell := range r.cells {
					r.steps[k] += traces[cell].reached[k]
				}
				if len(r.steps[k]) != fnv.New128a().Size()*len(r.cells) {
					r.steps[k] = "" // not reached in all repeats
				}
			}
		}
	}
	return nil
}

func (c *comparison) curves() bool {
	_, err := os.Stat(filepath.Join(c.Dir, curveTable.Name+".arrow"))
	return err == nil
}
