package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/internal/prose"
	"github.com/agepath/agepath/results/layout"
)

// solverSections are the sections on what solvers reached.
func (r *Report) solverSections() []section {
	b := r.Benchmark
	if b == nil {
		return nil
	}
	standings := section{Title: "Solvers", Name: "solvers"}
	ratios := section{Title: "Ratios of times", Name: "ratios"}
	for k := range b.Layout.Solvers.Targets {
		standings.Sheets = append(standings.Sheets, standingSheet(b, k))
		ratios.Sheets = append(ratios.Sheets, ratioSheet(b, k))
	}
	list := []section{standings, {Title: "Exceptions", Name: "exceptions", Sheets: []*sheet{exceptionSheet(b)}}, ratios}
	if groups := b.Growth(); len(groups) > 0 {
		s := section{Title: "Growth", Name: "growth"}
		for k := range b.Layout.Solvers.Targets {
			s.Sheets = append(s.Sheets, growthSheet(b, k, groups))
		}
		list = append(list, s)
	}
	return append(list, section{Title: "Gaps by the solvers' own word", Name: "claims", Sheets: []*sheet{claimSheet(b)}})
}

// gapWords names a target.
func gapWords(b *analysis.Benchmark, target int) string {
	return prose.Short(b.Layout.Solvers.Targets[target].Gap)
}

// mainLabel names the method that others are compared with.
func mainLabel(b *analysis.Benchmark) string { return analysis.MethodLabel(b.Layout.Solvers.Main) }

// shortCell returns a field with three significant digits, - for what is not finite.
func shortCell(x float64) sheetCell {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return sheetCell{Note: "-"}
	case math.Abs(x) >= 100:
		return sheetCell{Text: prose.Fixed(x, 0)}
	}
	return sheetCell{Text: strconv.FormatFloat(x, 'g', 3, 64)}
}

// standingSheet shows how the methods and families of methods do for a target.
func standingSheet(b *analysis.Benchmark, target int) *sheet {
	s := &sheet{
		Name: prose.Slug("gap", gapWords(b, target)), Title: "Time to the relative gap " + gapWords(b, target),
		Caption: fmt.Sprintf("Over %s; times are medians over repeats, set-up included. Taken: problems that the solver has; solved: reached the gap within the budget; "+
			"fastest: before every other solver; tied: fastest, or by the same steps as the fastest (points of the same objective after as many passes, up to the gap), whose times differ by chance. Ratios: time / time of %s, on problems that both solved; those that only %[2]s solved do not count, so that the mean is too low for a solver that does not solve all.",
			prose.Plural(len(b.Problems), "problem"), mainLabel(b)),
		Columns: []sheetColumn{{Head: "solver", Label: true}, {Head: "family", Label: true}, {Head: "taken", Right: true}, {Head: "solved", Right: true},
			{Head: "fastest", Right: true}, {Head: "tied", Right: true}, {Head: "compared", Right: true}, {Head: "geometric mean of the ratio", Right: true},
			{Head: "least", Right: true}, {Head: "largest", Right: true}},
	}
	add := func(label, family string, of analysis.Standing) {
		s.Rows = append(s.Rows, []sheetCell{
			{Text: label}, {Text: family}, countCell(of.Taken), countCell(of.Solved), countCell(of.Fastest), countCell(of.Tied), countCell(of.Compared),
			shortCell(of.Mean), shortCell(of.Least), shortCell(of.Most),
		})
	}
	var families []string
	for m, label := range b.Labels {
		add(label, b.Families[m], b.Standing(target, []int{m}, false))
		if !slices.Contains(families, b.Families[m]) {
			families = append(families, b.Families[m])
		}
	}
	for _, family := range families {
		if methods := b.All(family); len(methods) > 1 {
			add("all of the family", family, b.Standing(target, methods, false))
			add("the fastest of the family", family, b.Standing(target, methods, true))
		}
	}
	return s
}

// problemSettings are the settings of the problems.
func problemSettings(b *analysis.Benchmark) []analysis.Setting {
	var list []analysis.Setting
	for i := range b.Problems {
		list = append(list, b.Problems[i].Setting)
	}
	return list
}

// constantWords says what holds for all rows.
func constantWords(constant []analysis.Fact) string {
	var words strings.Builder
	for _, fact := range constant {
		fmt.Fprintf(&words, " %s: %s.", fact.Name, fact.Value)
	}
	return words.String()
}

// ratioSheet has a row for each problem: the time of the main method, and the others' ratios
// to it.
func ratioSheet(b *analysis.Benchmark, target int) *sheet {
	varied, constant := splitSettings(b.Layout, problemSettings(b))
	s := &sheet{
		Name: prose.Slug("gap", gapWords(b, target)), Title: "Times to the relative gap " + gapWords(b, target),
		Caption: fmt.Sprintf("%s: seconds; the others: time / time of %[1]s, or seconds with the word s where that did not reach the gap. "+
			"Not reached: within the budget. -: the solver does not have the problem, or was not there.%s", mainLabel(b), constantWords(constant)),
		Best: "fastest solver",
	}
	s.addAspects(varied)
	for m, label := range b.Labels {
		s.Columns = append(s.Columns, sheetColumn{Head: label, Right: true})
		if m == b.MainMethod() {
			s.Columns[len(s.Columns)-1].Head += " (s)"
		}
	}
	for i := range b.Problems {
		p := &b.Problems[i]
		cells := aspectCells(varied, p.Setting)
		_, least := p.Fastest(target, b.All(""))
		for m := range b.Methods {
			cells = append(cells, ratioCell(p, target, m, b.MainMethod(), least))
		}
		s.Rows = append(s.Rows, cells)
	}
	return s
}

func ratioCell(p *analysis.Problem, target, method, main int, least float64) sheetCell {
	seconds, of := p.Seconds(method, target), p.Seconds(main, target)
	var cell sheetCell
	switch {
	case p.Results[method].Repeats == 0:
		return sheetCell{Note: "-"}
	case math.IsInf(seconds, 1):
		return sheetCell{Note: "not reached"}
	case method == main:
		cell = shortCell(seconds)
	case math.IsInf(of, 1):
		cell = shortCell(seconds)
		cell.Text += " s"
	default:
		cell = shortCell(seconds / of)
	}
	if seconds == least {
		cell.Mark = bestMark
	}
	return cell
}

// exceptionSheet lists the problems on which the main method is not the fastest.
func exceptionSheet(b *analysis.Benchmark) *sheet {
	varied, constant := splitSettings(b.Layout, problemSettings(b))
	s := &sheet{
		Name: "all", Title: "Problems on which " + mainLabel(b) + " is not the fastest",
		Columns: []sheetColumn{{Head: "relative gap", Label: true}},
	}
	s.addAspects(varied)
	for _, head := range []string{"fastest solver", "its steps", "its seconds", mainLabel(b) + " (s)", "ratio"} {
		s.Columns = append(s.Columns, sheetColumn{Head: head, Right: head != "fastest solver" && head != "its steps"})
	}
	var counts []string
	for k := range b.Layout.Solvers.Targets {
		list := b.Exceptions(k)
		tied := 0
		for _, e := range list {
			steps := "others"
			if e.Tied {
				steps = "the same"
				tied++
			}
			cells := append([]sheetCell{{Text: gapWords(b, k)}}, aspectCells(varied, e.Problem.Setting)...)
			cells = append(cells, sheetCell{Text: b.Labels[e.Method]}, sheetCell{Text: steps}, shortCell(e.Problem.Seconds(e.Method, k)))
			if math.IsInf(e.Ratio, 1) {
				cells = append(cells, sheetCell{Note: "not reached"}, sheetCell{Note: "-"})
			} else {
				cells = append(cells, shortCell(e.Problem.Seconds(b.MainMethod(), k)), shortCell(e.Ratio))
			}
			s.Rows = append(s.Rows, cells)
		}
		counts = append(counts, fmt.Sprintf("%d of %d at %s, of which %d by the same steps", len(list), len(b.Problems), gapWords(b, k), tied))
	}
	s.Caption = strings.Join(counts, "; ") + ". Ratio: time of " + mainLabel(b) + " / time of the fastest." + constantWords(constant)
	return s
}

// growthSheet shows how times grow with the size of the problem.
func growthSheet(b *analysis.Benchmark, target int, groups [][]*analysis.Problem) *sheet {
	s := &sheet{
		Name: prose.Slug("gap", gapWords(b, target)), Title: "Growth of the time to the relative gap " + gapWords(b, target),
		Caption: fmt.Sprintf("Seconds at each value of %s, and the exponent: the slope of the logarithm of the time over the sizes that were solved.",
			b.Layout.Column(b.Layout.Solvers.Size)),
		Columns: []sheetColumn{{Head: "problem", Label: true}, {Head: "solver", Label: true}},
	}
	var sizes []float64
	for _, group := range groups {
		for _, p := range group {
			sizes = append(sizes, b.Size(p))
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	for _, size := range sizes {
		s.Columns = append(s.Columns, sheetColumn{Head: prose.Short(size), Right: true})
	}
	s.Columns = append(s.Columns, sheetColumn{Head: "exponent", Right: true})
	for _, group := range groups {
		what := b.Layout.Solvers.Generator(group[0].Setting) + ", " + b.Layout.Describe(group[0].Setting, layout.Dataset, b.Layout.Solvers.Size)
		for m, label := range b.Labels {
			cells := []sheetCell{{Text: what}, {Text: label}}
			for range sizes {
				cells = append(cells, sheetCell{Note: "-"})
			}
			taken := false
			for _, p := range group {
				if p.Results[m].Repeats > 0 {
					at, _ := slices.BinarySearch(sizes, b.Size(p))
					taken, cells[2+at] = true, secondsCell(p.Seconds(m, target))
				}
			}
			if taken {
				s.Rows = append(s.Rows, append(cells, shortCell(b.Exponent(group, target, m))))
			}
		}
	}
	return s
}

func secondsCell(seconds float64) sheetCell {
	if math.IsInf(seconds, 1) {
		return sheetCell{Note: "not reached"}
	}
	return shortCell(seconds)
}

// claimSheet lists the solvers that reported a better gap than they had.
func claimSheet(b *analysis.Benchmark) *sheet {
	s := &sheet{
		Name: "all", Title: "Points whose gap is worse than the solver's own word",
		Caption: "Every gap of this report is certified by one evaluator from the coefficients alone. Largest gap: the largest among the problems of the least certified one.",
		Columns: []sheetColumn{{Head: "solver", Label: true}, {Head: "family", Label: true}, {Head: "problems taken", Right: true},
			{Head: "problems with such points", Right: true}, {Head: "such points", Right: true}, {Head: "largest gap", Right: true}},
	}
	for m, label := range b.Labels {
		taken, problems, points, largest := 0, 0, int64(0), math.NaN()
		for i := range b.Problems {
			if of := &b.Problems[i].Results[m]; of.Repeats > 0 {
				taken++
				if points += of.Overclaims; of.Overclaims > 0 {
					problems++
				}
				if !(of.Gap <= largest) {
					largest = of.Gap
				}
			}
		}
		gap := shortCell(largest)
		if math.IsInf(largest, 1) {
			gap = sheetCell{Note: "no feasible point"}
		}
		s.Rows = append(s.Rows, []sheetCell{{Text: label}, {Text: b.Families[m]}, countCell(taken), countCell(problems),
			{Text: strconv.FormatInt(points, 10)}, gap})
	}
	return s
}

// addSolvers adds one line for each problem and method: times in full precision, empty where a
// gap was not reached.
func addSolvers(out *results.CSV, r *Report) {
	b := r.Benchmark
	if b == nil {
		return
	}
	for i := range b.Problems {
		p := &b.Problems[i]
		for m, method := range b.Methods {
			of := &p.Results[m]
			if of.Repeats == 0 {
				continue
			}
			line := []any{b.Layout.Fields(p.Setting), method, b.Families[m], of.Repeats, of.Setup, finite(of.Gap), of.Overclaims}
			for k := range b.Layout.Solvers.Targets {
				line = append(line, finite(p.Seconds(m, k)))
			}
			out.Add(line...)
		}
	}
}

// finite returns NaN, which files have as an empty field, for what is not finite.
func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

func solversHead(r *Report) []string {
	of := r.Layout.Solvers
	if of == nil {
		return r.Layout.Columns()
	}
	head := withSetting(nil, "method", of.Family, "repeats", of.Setup, of.Gap, of.Overclaims).of(r)
	for _, target := range of.Targets {
		head = append(head, target.Column)
	}
	return head
}
