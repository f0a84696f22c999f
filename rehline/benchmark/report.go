package benchmark

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

func own(ctx context.Context, r *analysis.Run) (*layout.Part, error) {
	c, err := compare(ctx, r)
	if err != nil || len(c.problems) == 0 {
		return nil, err
	}
	o := &layout.Part{Answer: c.answer(), Sections: c.sections(), Files: []layout.File{c.file()}}
	c.addFigures(o)
	return o, nil
}

func (c *comparison) sections() []layout.Section {
	standings := layout.Section{Title: "Solvers", Name: "solvers"}
	ratios := layout.Section{Title: "Ratios of times", Name: "ratios"}
	growth := layout.Section{Title: "Growth", Name: "growth"}
	groups := c.growth()
	for k := range gapTargets {
		standings.Sheets = append(standings.Sheets, c.standingSheet(k))
		ratios.Sheets = append(ratios.Sheets, c.ratioSheet(k))
		growth.Sheets = append(growth.Sheets, c.growthSheet(k, groups))
	}
	list := []layout.Section{standings, {Title: "Exceptions", Name: "exceptions", Sheets: []*layout.Sheet{c.exceptionSheet()}}, ratios}
	if len(groups) > 0 {
		list = append(list, growth)
	}
	return append(list, layout.Section{Title: "Gaps by the solvers' own word", Name: "claims", Sheets: []*layout.Sheet{c.claimSheet()}})
}

const answerTarget = 1

func (c *comparison) answer() *layout.Answer {
	s := &layout.Sheet{
		Name: "solvers", Title: "Time to a relative gap / time of " + mainSolver,
		Caption: fmt.Sprintf("Geometric mean over the problems that both solved; in parentheses how many of the %s the solver solved within the budget.", prose.Plural(len(c.problems), "problem")),
		Columns: []layout.SheetColumn{{Head: "solver", Label: true}},
	}
	for k := range gapTargets {
		s.Columns = append(s.Columns, layout.SheetColumn{Head: "gap " + gapWords(k), Right: true})
	}
	var order []int
	won := make([]int, len(c.Methods))
	solved := 0
	for m, label := range c.Labels {
		cells := []layout.SheetCell{{Text: label}}
		taken := 0
		for k := range gapTargets {
			of := c.standing(k, []int{m}, false)
			if taken = of.taken; k == answerTarget {
				won[m] = of.fastest
			}
			cell := layout.ShortCell(of.mean)
			if math.IsNaN(of.mean) {
				cell.Text = "-"
			}
			cell.Note = fmt.Sprint(of.solved)
			cells = append(cells, cell)
		}
		if taken > 0 {
			s.Rows = append(s.Rows, cells)
		}
		if won[m] > 0 {
			order = append(order, m)
		}
	}
	for i := range c.problems {
		if _, least := c.problems[i].fastest(answerTarget, c.all("")); !math.IsInf(least, 1) {
			solved++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return won[b] - won[a] })
	var words []string
	for _, m := range order {
		words = append(words, fmt.Sprintf("%s on %d", c.Labels[m], won[m]))
	}
	verdict := fmt.Sprintf("No solver reaches a relative gap of %s on any of %s.", gapWords(answerTarget), prose.Plural(len(c.problems), "problem"))
	if len(words) > 0 {
		verdict = fmt.Sprintf("Fastest to a relative gap of %s, of %s: %s.", gapWords(answerTarget), prose.Plural(solved, "solved problem"), strings.Join(words, "; "))
	}
	return &layout.Answer{Verdict: []string{verdict}, Sheets: []*layout.Sheet{s}}
}

func gapWords(target int) string { return prose.Short(gapTargets[target].gap) }

func (c *comparison) standingSheet(target int) *layout.Sheet {
	s := &layout.Sheet{
		Name: prose.Slug("gap", gapWords(target)), Title: "Time to the relative gap " + gapWords(target),
		Caption: fmt.Sprintf("Over %s; times are medians over repeats, set-up included. Taken: problems that the solver has; solved: reached the gap within the budget; "+
			"fastest: before every other solver; tied: fastest, or by the same steps as the fastest (points of the same objective after as many passes, up to the gap), whose times differ by chance. Ratios: time / time of %s, on problems that both solved; those that only %[2]s solved do not count, so that the mean is too low for a solver that does not solve all.",
			prose.Plural(len(c.problems), "problem"), mainSolver),
		Columns: []layout.SheetColumn{{Head: "solver", Label: true}, {Head: "family", Label: true}, {Head: "taken", Right: true}, {Head: "solved", Right: true},
			{Head: "fastest", Right: true}, {Head: "tied", Right: true}, {Head: "compared", Right: true}, {Head: "geometric mean of the ratio", Right: true},
			{Head: "least", Right: true}, {Head: "largest", Right: true}},
	}
	add := func(label, family string, of standing) {
		s.Rows = append(s.Rows, []layout.SheetCell{
			{Text: label}, {Text: family}, layout.CountCell(of.taken), layout.CountCell(of.solved), layout.CountCell(of.fastest), layout.CountCell(of.tied), layout.CountCell(of.compared),
			layout.ShortCell(of.mean), layout.ShortCell(of.least), layout.ShortCell(of.most),
		})
	}
	var families []string
	for m, label := range c.Labels {
		add(label, c.families[m], c.standing(target, []int{m}, false))
		if !slices.Contains(families, c.families[m]) {
			families = append(families, c.families[m])
		}
	}
	for _, family := range families {
		if methods := c.all(family); len(methods) > 1 {
			add("all of the family", family, c.standing(target, methods, false))
			add("the fastest of the family", family, c.standing(target, methods, true))
		}
	}
	return s
}

func (c *comparison) settings() []layout.Setting {
	var list []layout.Setting
	for i := range c.problems {
		list = append(list, c.problems[i].setting)
	}
	return list
}

// ratioSheet has the main method's time per problem, and the others' ratios.
func (c *comparison) ratioSheet(target int) *layout.Sheet {
	varied, constant := c.Layout.SplitSettings(c.settings())
	s := &layout.Sheet{
		Name: prose.Slug("gap", gapWords(target)), Title: "Times to the relative gap " + gapWords(target),
		Caption: fmt.Sprintf("%s: seconds; the others: time / time of %[1]s, or seconds with the word s where that did not reach the gap. "+
			"Not reached: within the budget. -: the solver does not have the problem, or was not there.%s", mainSolver, layout.ConstantWords(constant)),
		Best: "fastest solver",
	}
	s.AddAspects(varied)
	for m, label := range c.Labels {
		s.Columns = append(s.Columns, layout.SheetColumn{Head: label, Right: true})
		if m == c.main() {
			s.Columns[len(s.Columns)-1].Head += " (s)"
		}
	}
	for i := range c.problems {
		p := &c.problems[i]
		cells := layout.AspectCells(varied, p.setting)
		_, least := p.fastest(target, c.all(""))
		for m := range c.Methods {
			cells = append(cells, ratioCell(p, target, m, c.main(), least))
		}
		s.Rows = append(s.Rows, cells)
	}
	return s
}

func ratioCell(p *compared, target, method, main int, least float64) layout.SheetCell {
	seconds, of := p.time(method, target), p.time(main, target)
	var cell layout.SheetCell
	switch {
	case p.results[method].repeats == 0:
		return layout.SheetCell{Note: "-"}
	case math.IsInf(seconds, 1):
		return layout.SheetCell{Note: "not reached"}
	case method == main:
		cell = layout.ShortCell(seconds)
	case math.IsInf(of, 1):
		cell = layout.ShortCell(seconds)
		cell.Text += " s"
	default:
		cell = layout.ShortCell(seconds / of)
	}
	if seconds == least {
		cell.Mark = layout.BestMark
	}
	return cell
}

func (c *comparison) exceptionSheet() *layout.Sheet {
	varied, constant := c.Layout.SplitSettings(c.settings())
	s := &layout.Sheet{
		Name: "all", Title: "Problems on which " + mainSolver + " is not the fastest",
		Columns: []layout.SheetColumn{{Head: "relative gap", Label: true}},
	}
	s.AddAspects(varied)
	for _, head := range []string{"fastest solver", "its steps", "its seconds", mainSolver + " (s)", "ratio"} {
		s.Columns = append(s.Columns, layout.SheetColumn{Head: head, Right: head != "fastest solver" && head != "its steps"})
	}
	var counts []string
	for k := range gapTargets {
		list := c.exceptions(k)
		tied := 0
		for _, e := range list {
			steps := "others"
			if e.tied {
				steps = "the same"
				tied++
			}
			cells := append([]layout.SheetCell{{Text: gapWords(k)}}, layout.AspectCells(varied, e.problem.setting)...)
			cells = append(cells, layout.SheetCell{Text: c.Labels[e.method]}, layout.SheetCell{Text: steps}, layout.ShortCell(e.problem.time(e.method, k)))
			if math.IsInf(e.ratio, 1) {
				cells = append(cells, layout.SheetCell{Note: "not reached"}, layout.SheetCell{Note: "-"})
			} else {
				cells = append(cells, layout.ShortCell(e.problem.time(c.main(), k)), layout.ShortCell(e.ratio))
			}
			s.Rows = append(s.Rows, cells)
		}
		counts = append(counts, fmt.Sprintf("%d of %d at %s, of which %d by the same steps", len(list), len(c.problems), gapWords(k), tied))
	}
	s.Caption = strings.Join(counts, "; ") + ". Ratio: time of " + mainSolver + " / time of the fastest." + layout.ConstantWords(constant)
	return s
}

func (c *comparison) growthSheet(target int, groups [][]*compared) *layout.Sheet {
	s := &layout.Sheet{
		Name: prose.Slug("gap", gapWords(target)), Title: "Growth of the time to the relative gap " + gapWords(target),
		Caption: fmt.Sprintf("Seconds at each value of %s, and the exponent: the slope of the logarithm of the time over the sizes that were solved.",
			c.Layout.Column(dimRows)),
		Columns: []layout.SheetColumn{{Head: "problem", Label: true}, {Head: "solver", Label: true}},
	}
	var sizes []float64
	for _, group := range groups {
		for _, p := range group {
			sizes = append(sizes, p.size())
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	for _, size := range sizes {
		s.Columns = append(s.Columns, layout.SheetColumn{Head: prose.Short(size), Right: true})
	}
	s.Columns = append(s.Columns, layout.SheetColumn{Head: "exponent", Right: true})
	for _, group := range groups {
		what := group[0].generator() + ", " + c.Layout.Describe(group[0].setting, dimDataset, dimRows)
		for m, label := range c.Labels {
			cells := []layout.SheetCell{{Text: what}, {Text: label}}
			for range sizes {
				cells = append(cells, layout.SheetCell{Note: "-"})
			}
			taken := false
			for _, p := range group {
				if p.results[m].repeats > 0 {
					at, _ := slices.BinarySearch(sizes, p.size())
					taken, cells[2+at] = true, secondsCell(p.time(m, target))
				}
			}
			if taken {
				s.Rows = append(s.Rows, append(cells, layout.ShortCell(exponent(group, target, m))))
			}
		}
	}
	return s
}

func secondsCell(seconds float64) layout.SheetCell {
	if math.IsInf(seconds, 1) {
		return layout.SheetCell{Note: "not reached"}
	}
	return layout.ShortCell(seconds)
}

// claimSheet counts points with gaps worse than claimed.
func (c *comparison) claimSheet() *layout.Sheet {
	s := &layout.Sheet{
		Name: "all", Title: "Points whose gap is worse than the solver's own word",
		Caption: "Every gap of this report is certified by one evaluator from the coefficients alone. Largest gap: the largest among the problems of the least certified one.",
		Columns: []layout.SheetColumn{{Head: "solver", Label: true}, {Head: "family", Label: true}, {Head: "problems taken", Right: true},
			{Head: "problems with such points", Right: true}, {Head: "such points", Right: true}, {Head: "largest gap", Right: true}},
	}
	for m, label := range c.Labels {
		taken, problems, points, largest := 0, 0, int64(0), math.NaN()
		for i := range c.problems {
			if of := &c.problems[i].results[m]; of.repeats > 0 {
				taken++
				if points += of.overclaims; of.overclaims > 0 {
					problems++
				}
				if !(of.gap <= largest) {
					largest = of.gap
				}
			}
		}
		gap := layout.ShortCell(largest)
		if math.IsInf(largest, 1) {
			gap = layout.SheetCell{Note: "no feasible point"}
		}
		s.Rows = append(s.Rows, []layout.SheetCell{{Text: label}, {Text: c.families[m]}, layout.CountCell(taken), layout.CountCell(problems),
			{Text: strconv.FormatInt(points, 10)}, gap})
	}
	return s
}

const solversFile = "solvers.csv"

// file has a line per problem and method; empty means not reached.
func (c *comparison) file() layout.File {
	f := layout.File{Name: solversFile, Head: append(c.Layout.Columns(), "method", "family", "repeats", "setup_seconds", "final_gap", "overclaims")}
	for _, target := range gapTargets {
		f.Head = append(f.Head, target.column)
	}
	for i := range c.problems {
		p := &c.problems[i]
		for m, method := range c.Methods {
			of := &p.results[m]
			if of.repeats == 0 {
				continue
			}
			line := []any{c.Layout.Fields(p.setting), method, c.families[m], of.repeats, of.setup, finite(of.gap), of.overclaims}
			for k := range gapTargets {
				line = append(line, finite(p.time(m, k)))
			}
			f.Lines = append(f.Lines, line)
		}
	}
	return f
}

// finite returns NaN, an empty field in files, for infinity.
func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
