package analysis

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// Benchmark is what solvers reached on the problems of a run, of a kind whose layout has
// [layout.Solvers].
type Benchmark struct {
	*layout.Layout
	Methods  []string // in the order of tables
	Labels   []string // of the methods
	Families []string // of the methods
	Problems []Problem
}

// Problem is a setting with what the methods reached.
type Problem struct {
	Setting Setting
	Results []Result // by method
}

// Result is what a method reached on a problem: medians over the repeats that were computed.
type Result struct {
	Repeats    int       // that were computed; nothing else is known where it is 0
	Seconds    []float64 // by target, infinite where it was not reached
	Setup      float64   // seconds, NaN where not known
	Gap        float64   // the least one, infinite where no point was feasible
	Overclaims int64     // points of all repeats with a better gap claimed than certified
	Repeat     int64     // the first one
	Cell       string    // of the first repeat
	cells      []string  // of the repeats in order
	steps      []string  // by target, what the points up to it are in all repeats; "" where not known
}

// Standing is how methods do for a target, over pairs of a method and a problem.
type Standing struct {
	Taken, Solved, Fastest int     // problems that were computed; reached the target; before every other method
	Tied                   int     // Fastest, and those where the fastest method makes the same steps
	Compared               int     // solved by the main method as well
	Mean, Least, Most      float64 // of the ratios of times to the main method's: geometric mean, range; NaN without any
}

// Exception is a problem on which the main method is not the fastest.
type Exception struct {
	Problem *Problem
	Target  int
	Method  int     // the fastest
	Ratio   float64 // of the main method's time to the fastest, infinite where it did not reach the target
	Tied    bool    // the fastest makes the same steps as the main method
}

// MainMethod returns the place of the method that the others are compared with, -1 where the run
// has none.
func (b *Benchmark) MainMethod() int {
	return slices.IndexFunc(b.Methods, func(m string) bool { return MethodName(m) == b.Layout.Solvers.Main })
}

// Seconds returns the time of a method to a target, infinite where it did not reach it.
func (p *Problem) Seconds(method, target int) float64 {
	if method < 0 || p.Results[method].Repeats == 0 {
		return math.Inf(1)
	}
	return p.Results[method].Seconds[target]
}

// Fastest returns the fastest of some methods and its time, infinite where none reached the
// target.
func (p *Problem) Fastest(target int, methods []int) (method int, seconds float64) {
	method = slices.MinFunc(methods, func(a, b int) int { return cmp.Compare(p.Seconds(a, target), p.Seconds(b, target)) })
	return method, p.Seconds(method, target)
}

// Tied reports whether two methods make the same steps to a target in all repeats: points of the
// same objective after as many passes. Their times differ by chance.
func (p *Problem) Tied(a, b, target int) bool {
	x, y := p.Results[a].steps, p.Results[b].steps
	return x != nil && y != nil && x[target] != "" && x[target] == y[target]
}

// All returns the places of the methods of a family, of every one for "".
func (b *Benchmark) All(family string) []int {
	var list []int
	for m := range b.Methods {
		if family == "" || b.Families[m] == family {
			list = append(list, m)
		}
	}
	return list
}

// Standing returns how methods do for a target: each for itself or, with best, the fastest of
// them on each problem as if it were one method.
func (b *Benchmark) Standing(target int, methods []int, best bool) Standing {
	s := Standing{}
	logs := []float64{}
	for i := range b.Problems {
		p := &b.Problems[i]
		first, least := p.Fastest(target, b.All(""))
		main := p.Seconds(b.MainMethod(), target)
		counted := methods
		if best {
			taken := slices.DeleteFunc(slices.Clone(methods), func(m int) bool { return p.Results[m].Repeats == 0 })
			if counted = nil; len(taken) > 0 {
				fastest, _ := p.Fastest(target, taken)
				counted = []int{fastest}
			}
		}
		for _, m := range counted {
			seconds := p.Seconds(m, target)
			if p.Results[m].Repeats > 0 {
				s.Taken++
			}
			if math.IsInf(seconds, 1) {
				continue
			}
			s.Solved++
			if seconds == least {
				s.Fastest++
			}
			if seconds == least || p.Tied(m, first, target) {
				s.Tied++
			}
			if !math.IsInf(main, 1) {
				logs = append(logs, math.Log(seconds/main))
			}
		}
	}
	s.Compared, s.Mean, s.Least, s.Most = len(logs), math.NaN(), math.NaN(), math.NaN()
	if len(logs) > 0 {
		s.Mean = math.Exp(stat.Mean(logs, nil))
		s.Least, s.Most = math.Exp(slices.Min(logs)), math.Exp(slices.Max(logs))
	}
	return s
}

// Exceptions lists the problems on which the main method is not the fastest to a target, the
// largest ratio first.
func (b *Benchmark) Exceptions(target int) []Exception {
	var list []Exception
	for i := range b.Problems {
		p := &b.Problems[i]
		fastest, seconds := p.Fastest(target, b.All(""))
		at := b.MainMethod()
		if main := p.Seconds(at, target); seconds < main {
			list = append(list, Exception{p, target, fastest, main / seconds, at >= 0 && p.Tied(at, fastest, target)})
		}
	}
	slices.SortStableFunc(list, func(x, y Exception) int { return cmp.Compare(y.Ratio, x.Ratio) })
	return list
}

// Profile returns the ratios of a method's times to those of the fastest method on each problem
// that it solved, ascending: the performance profile of Dolan and Moré (Mathematical
// Programming 91, 2002) at a ratio is the share of all problems with ratios up to it.
func (b *Benchmark) Profile(target, method int) []float64 {
	var ratios []float64
	for i := range b.Problems {
		p := &b.Problems[i]
		if seconds := p.Seconds(method, target); !math.IsInf(seconds, 1) {
			_, least := p.Fastest(target, b.All(""))
			ratios = append(ratios, seconds/least)
		}
	}
	slices.Sort(ratios)
	return ratios
}

// Growth lists problems that differ in their sizes alone, by size, of at least two sizes.
func (b *Benchmark) Growth() [][]*Problem {
	type key struct {
		Setting
		generator string
	}
	index := map[key]int{}
	var groups [][]*Problem
	for i := range b.Problems {
		p := &b.Problems[i]
		k := key{p.Setting.Without(layout.Dataset, b.Layout.Solvers.Size), b.Layout.Solvers.Generator(p.Setting)}
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
	groups = slices.DeleteFunc(groups, func(g []*Problem) bool { return len(g) < 2 })
	for _, g := range groups {
		slices.SortFunc(g, func(x, y *Problem) int { return cmp.Compare(b.Size(x), b.Size(y)) })
	}
	return groups
}

// Size is the size of a problem.
func (b *Benchmark) Size(p *Problem) float64 { return p.Setting[b.Layout.Solvers.Size].Number }

// Exponent returns the slope of log time on log size over the problems of a group that a method
// solved, NaN where there are not two.
func (b *Benchmark) Exponent(group []*Problem, target, method int) float64 {
	var x, y []float64
	for _, p := range group {
		if seconds := p.Seconds(method, target); !math.IsInf(seconds, 1) {
			x, y = append(x, math.Log(b.Size(p))), append(y, math.Log(seconds))
		}
	}
	if len(x) < 2 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}

// benchmarkTally collects the cells of a benchmark.
type benchmarkTally struct {
	schema   *schema
	families map[string]string                   // by method
	problems map[Setting]map[string]*resultTally // by method
}

// resultTally has a number for each computed repeat.
type resultTally struct {
	seconds      [][]float64 // by target
	setups, gaps []float64
	overclaims   int64
	repeats      []RepeatScore
}

// newBenchmarkTally returns nil for kinds that compare no solvers.
func newBenchmarkTally(s *schema) *benchmarkTally {
	if s.Solvers == nil {
		return nil
	}
	return &benchmarkTally{s, map[string]string{}, map[Setting]map[string]*resultTally{}}
}

// columns are the columns of cells that it needs.
func (t *benchmarkTally) columns() []string {
	if t == nil {
		return nil
	}
	of := t.schema.Solvers
	list := []string{of.Family, of.Setup, of.Gap, of.Overclaims}
	for _, target := range of.Targets {
		list = append(list, target.Column)
	}
	return list
}

// add adds a batch of cells.
func (t *benchmarkTally) add(cells *results.Frame, c *cellColumns) error {
	if t == nil {
		return nil
	}
	names := t.columns()
	kinds := []experiment.Type{experiment.Text, experiment.Float, experiment.Float, experiment.Int}
	for len(kinds) < len(names) {
		kinds = append(kinds, experiment.Float)
	}
	v, err := cells.Vectors(results.CellsFile, names, kinds)
	if err != nil {
		return err
	}
	number := func(j, row int, none float64) float64 {
		if v[j].IsNull(row) {
			return none
		}
		return v[j].Floats[row]
	}
	for row := range c.rows {
		setting, method := c.setting(row), c.methodKey(row)
		p := t.problems[setting]
		if p == nil {
			p = map[string]*resultTally{}
			t.problems[setting] = p
		}
		t.families[method] = c.text(v[0], row)
		sample, _, err := c.sample(row)
		if err != nil {
			return err
		}
		if !sample.Status.Computed() {
			continue
		}
		r := p[method]
		if r == nil {
			r = &resultTally{seconds: make([][]float64, len(t.schema.Solvers.Targets))}
			p[method] = r
		}
		for k := range r.seconds {
			r.seconds[k] = append(r.seconds[k], number(4+k, row, math.Inf(1)))
		}
		r.setups, r.gaps = append(r.setups, number(1, row, math.NaN())), append(r.gaps, number(2, row, math.Inf(1)))
		if !v[3].IsNull(row) {
			r.overclaims += v[3].Ints[row]
		}
		r.repeats = append(r.repeats, sample)
	}
	return nil
}

// benchmark returns what was collected; nil without cells.
func (t *benchmarkTally) benchmark() *Benchmark {
	if t == nil || len(t.problems) == 0 {
		return nil
	}
	b := &Benchmark{Layout: t.schema.Layout, Methods: slices.SortedFunc(maps.Keys(t.families), CompareMethods)}
	b.Labels = MethodLabels(b.Methods)
	for _, method := range b.Methods {
		b.Families = append(b.Families, t.families[method])
	}
	for _, setting := range slices.SortedFunc(maps.Keys(t.problems), Setting.Compare) {
		p := Problem{Setting: setting, Results: make([]Result, len(b.Methods))}
		for m, method := range b.Methods {
			if r := t.problems[setting][method]; r != nil {
				p.Results[m] = r.result()
			}
		}
		b.Problems = append(b.Problems, p)
	}
	return b
}

func (r *resultTally) result() Result {
	slices.SortStableFunc(r.repeats, func(x, y RepeatScore) int { return cmp.Compare(x.Repeat, y.Repeat) })
	of := Result{
		Repeats: len(r.gaps), Setup: middle(r.setups), Gap: middle(r.gaps), Overclaims: r.overclaims,
		Repeat: r.repeats[0].Repeat, Cell: r.repeats[0].Cell.String(),
	}
	for i := range r.repeats {
		of.cells = append(of.cells, r.repeats[i].Cell.String())
	}
	for _, seconds := range r.seconds {
		of.Seconds = append(of.Seconds, middle(seconds))
	}
	return of
}

// middle returns the median of numbers, which may be infinite.
func middle(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	n := len(xs)
	return (xs[(n-1)/2] + xs[n/2]) / 2
}
