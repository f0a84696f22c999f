package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

type verdict struct {
	run      *analysis.Run
	tests    analysis.Tests
	varied   []layout.Aspect
	compared []verdictRow        // with several methods
	best     map[string][]string // settings with the best mean, by label
	labels   []string            // of best
	scored   []string            // all methods with a score
}

// verdictRow is a setting with several methods, which are compared with the best and the next.
type verdictRow struct {
	table      *analysis.ScoreTable
	row        *analysis.ScoreRow
	labels     []string
	best, next int
	pairs      []analysis.Comparison
}

func (r *verdictRow) between(method, against int) analysis.Comparison {
	for _, c := range r.pairs {
		if c.Method+c.Against == method+against && (c.Method == method || c.Against == method) {
			return c.Of(method)
		}
	}
	panic("report: methods of a row are not compared")
}

func newVerdict(r *analysis.Run) *verdict {
	v := &verdict{run: r, best: map[string][]string{}}
	var settings []layout.Setting
	for _, table := range r.Overall {
		settings = append(settings, table.Settings()...)
	}
	v.varied, _ = foldAspects(r.Layout, settings)
	for _, of := range analysis.Compare(r.Overall) {
		table, lead := of.Table, of.Table.Lead()
		labels := analysis.MethodLabels(table.Methods)
		v.tests = table.Tests
		for _, compared := range of.Rows {
			row := compared.Row
			var order []int
			for j := range row.Entries {
				if row.Entries[j].Summary[lead].N > 0 {
					v.scored = append(v.scored, labels[j])
					order = append(order, j)
				}
			}
			if !row.Common[lead].Compares() {
				continue
			}
			slices.SortStableFunc(order, func(a, b int) int {
				return table.CompareScores(row.Entries[a].Compared[lead].Mean, row.Entries[b].Compared[lead].Mean)
			})
			v.compared = append(v.compared, verdictRow{table, row, labels, order[0], order[1], compared.Comparisons})
			for j := range row.Entries {
				if row.Entries[j].Best[lead] {
					v.best[labels[j]] = append(v.best[labels[j]], layout.Words(v.varied, row.Setting))
					v.labels = append(v.labels, labels[j])
				}
			}
		}
	}
	v.scored, v.labels = unique(v.scored), unique(v.labels)
	slices.SortStableFunc(v.labels, func(a, b string) int { return len(v.best[b]) - len(v.best[a]) })
	return v
}

// sentences returns five at most, after one on outliers in the test rows.
func (v *verdict) sentences(partial bool) []string {
	list := []string{v.contaminatedSentence(), v.bestSentence(), v.practiceSentence(), v.floorSentence(), v.endSentence(), v.limitSentence()}
	list = slices.DeleteFunc(list, func(sentence string) bool { return sentence == "" })
	if partial && len(list) > 0 {
		list[0] = "So far: " + list[0]
	}
	return list
}

// contaminatedSentence says which data sets are ranked by trimmed RMSE, and why.
func (v *verdict) contaminatedSentence() string {
	if len(v.run.Contaminated) == 0 {
		return ""
	}
	var words []string
	trimmed := 0.0
	for _, c := range v.run.Contaminated {
		words = append(words, fmt.Sprintf("%.0f %% of %s's", 100*c.Share, c.Dataset))
		trimmed = max(trimmed, c.Trimmed)
	}
	return fmt.Sprintf("About %s test rows are far from every method that fits the others: RMSE rewards methods that fit them; ranked by trimmed RMSE, up to %.0f %% of the rows left out.",
		listed(words), 100*trimmed)
}

// mostPlaces are named.
const mostPlaces = 3

// inSettings is empty if there is one setting, omits the total if of is 0, and names a few.
func (v *verdict) inSettings(places []string, of int) string {
	if len(v.compared) < 2 && of < 2 {
		return ""
	}
	words := " in " + fmt.Sprint(len(places))
	if of > 0 {
		words += " of " + prose.Plural(of, "setting")
	}
	if len(places) <= mostPlaces && places[0] != "" {
		words += " (" + strings.Join(places, "; ") + ")"
	}
	return words
}

func (v *verdict) bestSentence() string {
	n := len(v.compared)
	switch {
	case len(v.scored) == 0:
		return "No cell has a score."
	case len(v.scored) == 1:
		return v.scored[0] + " is the only method with scores."
	case n == 0:
		return "No two methods have a score in the same repeat of a setting."
	case n == 1 && len(v.labels) > 1:
		return listed(v.labels) + " have the same best mean test score."
	case len(v.labels) == 1:
		where := [...]string{"", " in both settings", fmt.Sprintf(" in all %d settings", n)}[min(n, 3)-1]
		return v.labels[0] + " has the best mean test score" + where + v.certainty() + "."
	}
	var words []string
	shared := 0
	for _, label := range v.labels {
		words = append(words, label+v.inSettings(v.best[label], n))
		n, shared = 0, shared+len(v.best[label])
	}
	const most = 5
	if len(words) > most {
		words = append(words[:most], prose.Plural(len(words)-most, "more method")+" in fewer")
	}
	if len(v.labels) <= most && shared > len(v.compared) {
		words[len(words)-1] += ", ties among them"
	}
	return "Best mean test score: " + strings.Join(words, ", ") + v.certainty() + "."
}

// certainty says how surely the best is best, of one setting by probabilities against the next method;
// "" without a test.
func (v *verdict) certainty() string {
	ahead, tested, level := 0, 0, 0 // settings; methods like the best in the last of them
	for i := range v.compared {
		r := &v.compared[i]
		if lead := r.table.Lead(); r.row.Tested[lead] {
			tested, level = tested+1, 0
			for j := range r.row.Entries {
				if e := &r.row.Entries[j]; e.Best[lead] || e.Equal[lead] {
					level++
				}
			}
			ahead += 1 / level
		}
	}
	if tested == 0 {
		return ""
	}
	words := fmt.Sprintf("; the best differs significantly from every other method in %d of %d (false discovery rate %s)", ahead, len(v.compared), v.tests.Level())
	if first := &v.compared[0]; len(v.compared) == 1 {
		c := first.between(first.best, first.next)
		better, equal, worse := c.Chances(first.table.Metric)
		words = fmt.Sprintf(": against %s, the next, it is better with probability %s, equal (within %s) %s, worse %s (%s)", first.labels[first.next], chance(better),
			v.rope(c.Margin, first.table), chance(equal), chance(worse), analysis.PValue(c.Test.P))
		if methods := first.row.Common[first.table.Lead()].Methods; methods > 2 {
			words += fmt.Sprintf("; it differs significantly from %d of %d other methods (false discovery rate %s)", methods-level, methods-1, v.tests.Level())
		}
	}
	if r := v.run.Ranking; r.Shows() && r.Test.FP <= v.tests.Significance {
		var first []string
		lowest := slices.Min(r.Test.MeanRanks)
		for m, label := range analysis.MethodLabels(r.Methods) {
			if r.Test.MeanRanks[m] < lowest+1e-9 {
				first = append(first, label)
			}
		}
		words += fmt.Sprintf("; over %d data sets, the stronger claim, mean ranks differ (%s) and %s %s the best, %.1f",
			len(r.Datasets), analysis.PValue(r.Test.FP), listed(first), [...]string{"has", "share"}[min(len(first)-1, 1)], lowest)
	}
	return words
}

// rope writes a margin and, for errors, where it comes from.
func (v *verdict) rope(margin float64, table *analysis.ScoreTable) string {
	if table.Metric.Of().Higher || !table.HasFloor() {
		return digits(margin)
	}
	return fmt.Sprintf("%s, %s %% of the %s's error", digits(margin), prose.Short(100*v.tests.Rope), floorLabel(table))
}

// practiceSentence compares the methods with steps with the reference: in each setting, at a false
// discovery rate over these comparisons, and over data sets the one with the best mean rank by the
// signed-rank test.
func (v *verdict) practiceSentence() string {
	step, reference, paced := &v.run.Layout.Step, "", map[string]bool{}
	var p []float64
	var gains []bool
	var settings, places []string
	tested, ahead, better, worse, near := 0, 0, 0, 0, 0
	for i := range v.compared {
		r := &v.compared[i]
		isReference := func(j int) bool {
			info, _ := analysis.MethodInfo(analysis.MethodName(r.table.Methods[j]))
			return info.Reference
		}
		for _, c := range r.pairs {
			if isReference(c.Method) {
				c = c.Of(c.Against)
			}
			if step.Practice == "" || !isReference(c.Against) || math.IsNaN(medianStep(&r.row.Entries[c.Method], r.table.Lead())) {
				continue
			}
			reference, paced[r.labels[c.Method]] = r.labels[c.Against], true
			gain := r.table.CompareScores(c.Test.Mean, 0) < 0
			p, gains, settings = append(p, c.Test.P), append(gains, gain), append(settings, layout.Words(v.varied, r.row.Setting))
			tested, ahead = tested+count(c.Tested()), ahead+count(gain)
			near += count(withoutLargest(r, c.Method) < 0.9*withoutLargest(r, c.Against))
		}
	}
	if tested == 0 {
		return ""
	}
	for k, q := range stats.FalseDiscoveryRate(p) {
		switch {
		case !(q <= v.tests.Significance):
		case gains[k]:
			better, places = better+1, append(places, settings[k])
		default:
			worse++
		}
	}
	plain, of := fmt.Sprintf("%s (%s)", step.Plain, reference), prose.Plural(len(p), "comparison")
	where := ""
	if places = unique(places); len(v.compared) > 1 && better > 0 && len(places) <= mostPlaces {
		where = " (" + strings.Join(places, "; ") + ")"
	}
	claim, words := " helped", fmt.Sprintf("significantly better than %s in %d of %s%s, worse in %d", plain, better, of, where, worse)
	switch {
	case better > 0 && worse > 0:
		claim = " helped only in part"
	case worse > 0:
		claim = " did not help"
	case better == 0:
		claim = [...]string{" did not help measurably", " may have helped"}[count(2*ahead > len(p))]
		words = fmt.Sprintf("its mean is better than that of %s in %d of %s, significantly in none", plain, ahead, of)
	}
	if over, stronger := v.overDatasets(reference, paced); stronger != "" {
		claim, words = stronger, over+"; within data sets "+words
	} else if over != "" {
		words += "; " + over
	}
	return step.Practice + claim + ": " + words + v.allIn() + "." + doubt(better, near, len(p))
}

// doubt says that some of n comparisons would go the other way without the largest errors.
func doubt(better, near, n int) string {
	if better > 0 || 2*near <= n {
		return ""
	}
	return fmt.Sprintf(" But without the largest tenth of the errors its mean is better by over 10 %% in %d of %d: test rows may be"+
		" wrong, which the RMSE rewards fitting; `metric: mae` weighs them less.", near, n)
}

// withoutLargest is a method's mean RMSE without the largest tenth of the errors, NaN for other metrics.
func withoutLargest(of *verdictRow, method int) float64 {
	if of.table.Metric != metric.RMSE {
		return math.NaN()
	}
	entry, sum := &of.row.Entries[method], 0.0
	for i := range entry.Sample {
		sum += entry.Sample[i].Without[0] / float64(len(entry.Sample))
	}
	return sum
}

// overDatasets compares the one of n paced methods that has the best mean rank with the reference by
// Wilcoxon's test over data sets, if that can show something; p is for the best of n (Bonferroni). It
// returns a claim if the difference is significant.
func (v *verdict) overDatasets(reference string, paced map[string]bool) (words, claim string) {
	r, n := v.run.Ranking, len(paced)
	if r == nil || math.Ldexp(1, 1-len(r.Datasets)) > v.tests.Significance {
		return "", ""
	}
	labels := analysis.MethodLabels(r.Methods)
	order, _ := r.Cliques()
	plain, best := slices.Index(labels, reference), slices.IndexFunc(order, func(m int) bool { return paced[labels[m]] })
	if plain < 0 || best < 0 {
		return "", ""
	}
	p, better, ok := r.Wilcoxon(order[best], plain)
	if !ok {
		return "", ""
	}
	if p = min(1, float64(n)*p); p <= v.tests.Significance {
		claim = [...]string{" did not help", " helped"}[count(2*better > len(r.Datasets))]
	}
	return fmt.Sprintf("over data sets %s is better than %s in %d of %d (%s by Wilcoxon's test%s)", labels[order[best]], reference, better, len(r.Datasets),
		analysis.PValue(p), [...]string{"", fmt.Sprintf(", for %d such methods", n)}[count(n > 1)]), claim
}

func count(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// allIn counts the cells in which a method leaves no row out at any step.
func (v *verdict) allIn() string {
	var words []string
	cells, all := map[string]int{}, map[string]int{}
	seen := map[results.CellKey]bool{}
	for at := range analysis.EachEntry(v.run.Tables...) {
		label := analysis.MethodLabels(at.Table.Methods)[at.Method]
		for i := range at.Entry.Sample {
			sample := &at.Entry.Sample[i]
			if seen[sample.Cell] || !(sample.Step[1] > 0) {
				continue
			}
			seen[sample.Cell] = true
			cells[label]++
			if sample.Step[2] == 0 {
				all[label]++
			}
		}
	}
	for _, label := range slices.Sorted(maps.Keys(all)) {
		words = append(words, fmt.Sprintf("%s in %d of %s", label, all[label], prose.Plural(cells[label], "cell")))
	}
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf("; no row is out at any %s of %s", v.run.Layout.Step.Word, listed(words))
}

// floorSentence says which methods are not better than the layout's floor.
func (v *verdict) floorSentence() string {
	var none []string
	some := map[string][]string{} // by label
	floored, floor := 0, ""
	for _, table := range v.run.Overall {
		if !table.HasFloor() {
			continue
		}
		floor = floorLabel(table)
		lead, labels := table.Lead(), analysis.MethodLabels(table.Methods)
		for _, row := range table.Rows {
			scored := 0
			var worse []string
			for j := range row.Entries {
				if row.Entries[j].Summary[lead].N > 0 {
					scored++
				}
				if table.NotBetter(row, j, lead) {
					worse = append(worse, labels[j])
				}
			}
			if row.Floor == nil || scored == 0 {
				continue
			}
			floored++
			setting := layout.Words(v.varied, row.Setting)
			if len(worse) == scored {
				none, worse = append(none, setting), nil
			}
			for _, label := range worse {
				some[label] = append(some[label], setting)
			}
		}
	}
	var parts []string
	if len(none) > 0 {
		parts = append(parts, "every method"+v.inSettings(none, floored))
		floored = 0
	}
	for _, label := range v.scored {
		if places := some[label]; len(places) > 0 {
			parts = append(parts, label+v.inSettings(places, floored))
			floored = 0
		}
	}
	switch {
	case floored == 0 && len(parts) == 0:
		return ""
	case len(parts) == 0:
		return fmt.Sprintf("Every method has a better mean than the %s.", floor)
	}
	return fmt.Sprintf("Not better than the %s: %s.", floor, strings.Join(parts, ", "))
}

func (v *verdict) endSentence() string {
	var ends []string
	methods := map[string][]string{}
	for at := range analysis.EachEntry(v.run.Overall...) {
		for _, end := range at.Entry.Ends {
			ends = append(ends, end)
			methods[end] = append(methods[end], analysis.MethodLabels(at.Table.Methods)[at.Method])
		}
	}
	ends = unique(ends)
	if len(ends) == 0 {
		return ""
	}
	slices.SortStableFunc(ends, func(a, b string) int { return len(methods[b]) - len(methods[a]) })
	const most = 3
	words := lists.Map(ends[:min(len(ends), most)], func(end string) string { return fmt.Sprintf("%s (%s)", end, listed(unique(methods[end]))) })
	if more := len(ends) - most; more > 0 {
		words = append(words, prose.Plural(more, "more value"))
	}
	return "Chosen at the end of a list, which may be too short: " + strings.Join(words, "; ") + "."
}

// mostRepeats limits the repeats that a verdict asks for.
const mostRepeats = 1000

// limitSentence says what cannot be said with the repeats and data sets, and how many it needs.
func (v *verdict) limitSentence() string {
	var parts []string
	fewest, untested, open, never, needed := math.MaxInt, 0, 0, 0, 0
	for i := range v.compared {
		r := &v.compared[i]
		c := r.between(r.best, r.next)
		fewest = min(fewest, c.Test.N)
		switch {
		case !c.Tested():
			untested++
		case c.Q > v.tests.Significance:
			n := c.Test.Needed(v.tests.Significance*c.Test.P/c.Q, mostRepeats)
			open, never, needed = open+1, never+count(n == 0), max(needed, n)
		}
	}
	within := func(n, of int) string {
		if n == of {
			return ""
		}
		return fmt.Sprintf(" in %d of %s", n, prose.Plural(of, "setting"))
	}
	if n := len(v.compared); untested > 0 {
		parts = append(parts, fmt.Sprintf("with %s nothing is tested%s: it takes 2, and differences that vary; 10 are usual", prose.Plural(fewest, "repeat"), within(untested, n)))
	} else if open > 0 {
		text := fmt.Sprintf("with %s the best does not differ significantly from the next%s", prose.Plural(fewest, "repeat"), within(open, n))
		switch {
		case never == open:
			text += ", and no number of repeats would change that, as they share rows"
		case never > 0:
			text += fmt.Sprintf("; differences as found need up to %d repeats in %d of them, and in the others no number would do, as repeats share rows", needed, open-never)
		default:
			text += fmt.Sprintf("; that needs %d repeats if differences stay as found", needed)
		}
		parts = append(parts, text)
	}
	if r := v.run.Ranking; r == nil {
		parts = append(parts, "nothing is said about other data sets")
	} else if n, k, half := len(r.Datasets), len(r.Methods), fmt.Sprintf("; with %d data sets from %s on", r.Needed(), prose.Short(r.Most()/2)); k == 2 {
		if pairs := 1 + int(math.Ceil(-math.Log2(v.tests.Significance))); n < pairs { // for Wilcoxon's smallest p
			parts = append(parts, fmt.Sprintf("%d data sets are too few for a test over them, which needs %d", n, pairs))
		}
	} else if !r.Shows() {
		parts = append(parts, fmt.Sprintf("a critical-difference diagram of %d methods on %d data sets can show nothing (two ranks differ significantly from %.2f on, of at most %.0f%s)",
			k, n, r.Critical, r.Most(), half))
	} else if 2*r.Critical > r.Most() {
		parts = append(parts, fmt.Sprintf("two mean ranks differ significantly from %.2f on, of at most %.0f%s", r.Critical, r.Most(), half))
	}
	words := strings.Join(parts, "; ")
	if len(v.compared) == 0 || words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:] + "."
}
