package report

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// LoadAnswer reads only the cells, complete or not, even during a run.
func LoadAnswer(ctx context.Context, dir string) (*layout.Answer, error) {
	run, err := analysis.Load(ctx, dir, analysis.Options{})
	if err != nil {
		return nil, fmt.Errorf("scores of %s: %w", dir, err)
	}
	return NewAnswer(run), nil
}

// NewAnswer returns a verdict, a table of scores for each metric, the choices and the failures of a
// run, complete or not.
func NewAnswer(r *analysis.Run) *layout.Answer {
	a := &layout.Answer{Verdict: []string{}, Sheets: []*sheet{}}
	if r.Own != nil && r.Own.Answer != nil {
		*a = *r.Own.Answer
	} else if len(r.Overall) > 0 {
		a.Verdict = newVerdict(r).sentences(r.Partial)
		for _, table := range r.Overall {
			a.Sheets = append(a.Sheets, scoreSheet(table, table.Lead()))
		}
		if s := chosenSheet(r.Overall); s != nil {
			a.Sheets = append(a.Sheets, s)
		}
	}
	for _, s := range []*sheet{failureSheet(r), skippedSheet(r)} {
		if len(s.Rows) > 0 {
			a.Sheets = append(a.Sheets, s)
		}
	}
	return a
}

func (t Text) WriteAnswer(w io.Writer, a *layout.Answer) error {
	var b strings.Builder
	if len(a.Verdict) > 0 {
		fmt.Fprintf(&b, "%s\n", InLines(strings.Join(a.Verdict, " ")))
	}
	for _, s := range a.Sheets {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		t.writeSheet(&b, s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// chosenSheet shows the most frequent choice for each setting and method; nil if there was none.
func chosenSheet(tables []*analysis.ScoreTable) *sheet {
	lead := tables[0].Lead()
	var methods, words []string
	var settings []layout.Setting
	steps := false
	for at := range analysis.EachEntry(tables...) {
		methods = append(methods, at.Table.Methods[at.Method])
		words = append(words, at.Table.Parameters...)
		settings = append(settings, at.Row.Setting)
		steps = steps || !math.IsNaN(medianStep(at.Entry, lead))
	}
	l := tables[0].Layout
	words = unique(words)
	if steps {
		words = append([]string{l.Step.Word}, words...)
	}
	if len(words) == 0 {
		return nil
	}
	slices.SortFunc(methods, analysis.CompareMethods)
	methods = slices.Compact(methods)
	s := &sheet{Name: "chosen", Title: fmt.Sprintf("Chosen by %s: %s", choiceWords[stepOf(lead)], listed(words)),
		Caption: "What most repeats chose."}
	if steps {
		s.Caption = "What most repeats chose; the median " + l.Step.Word + "."
	}
	varied, _ := foldAspects(l, settings)
	s.AddAspects(varied)
	for _, label := range analysis.MethodLabels(methods) {
		s.Columns = append(s.Columns, sheetColumn{Head: label})
	}
	for _, table := range tables {
		for _, row := range table.Rows {
			cells := append(layout.AspectCells(varied, row.Setting), make([]sheetCell, len(methods))...)
			for j := range row.Entries {
				cells[len(varied)+slices.Index(methods, table.Methods[j])] = choiceCell(&row.Entries[j], lead, &l.Step)
			}
			s.Rows = append(s.Rows, cells)
		}
	}
	return s
}

// choiceWords name the part of the data that chose, as in [analysis.RepeatScore.Step].
var choiceWords = [2]string{"validation", "the oracle (the test part)"}

func choiceCell(e *analysis.ScoreEntry, lead analysis.Score, step *layout.Step) sheetCell {
	text := ""
	if len(e.Chosen) > 0 {
		text = e.Chosen[0].Words
		if x := medianStep(e, lead); !math.IsNaN(x) {
			words := digits(x)
			if choosesAll(e, lead) {
				words = step.AllWords
			}
			text = strings.TrimPrefix(text+"; ", "; ") + words
		}
	}
	if text == "" {
		return sheetCell{Note: "-"}
	}
	return sheetCell{Text: text}
}

func stepOf(lead analysis.Score) int {
	if lead == analysis.TestAtBestValidation {
		return 0
	}
	return 1
}

// choosesAll reports whether all rows count at the steps of more than half of the repeats.
func choosesAll(e *analysis.ScoreEntry, lead analysis.Score) bool {
	all, steps := 0, 0
	for i := range e.Sample {
		step := &e.Sample[i].Step
		if x := step[stepOf(lead)]; !math.IsNaN(x) {
			steps++
			if x > step[2] {
				all++
			}
		}
	}
	return 2*all > steps
}

func medianStep(e *analysis.ScoreEntry, lead analysis.Score) float64 {
	var steps []float64
	for i := range e.Sample {
		if x := e.Sample[i].Step[stepOf(lead)]; !math.IsNaN(x) {
			steps = append(steps, x)
		}
	}
	if len(steps) == 0 {
		return math.NaN()
	}
	return median(steps)
}

func unique(texts []string) []string {
	var list []string
	for _, text := range texts {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// foldAspects returns the aspects that differ between settings, and constant facts. An aspect that
// follows from earlier ones, such as a model for each data set, becomes a fact with its values.
func foldAspects(l *layout.Layout, settings []layout.Setting) ([]layout.Aspect, []layout.Fact) {
	varied, constant := l.SplitSettings(settings)
	if len(varied) == 0 {
		return varied, constant
	}
	kept := varied[:1:1]
aspects:
	for _, a := range varied[1:] {
		for n := range kept {
			if words, follows := followed(kept[:n+1], a, settings); follows && len(words) <= foldedSets {
				constant = append(constant, layout.Fact{Name: a.Name, Value: strings.Join(words, ", ")})
				continue aspects
			}
		}
		kept = append(kept, a)
	}
	return slices.Clip(kept), constant
}

// followed reports whether an aspect is a function of others, and returns its values.
func followed(from []layout.Aspect, a layout.Aspect, settings []layout.Setting) (words []string, follows bool) {
	texts := map[string]string{}
	for _, setting := range settings {
		key, text := layout.Words(from, setting), a.Text(setting)
		have, known := texts[key]
		if known && have != text {
			return nil, false
		}
		if texts[key] = text; !known && text != "" {
			words = append(words, fmt.Sprintf("%s (%s)", text, key))
		}
	}
	return words, true
}

// foldedSets limits the values of a dependent aspect in a caption.
const foldedSets = 4

type verdict struct {
	tables   []*analysis.ScoreTable
	all      []*analysis.ScoreTable // of all parameters
	varied   []layout.Aspect
	compared []*analysis.ScoreRow // with several methods
	best     map[string][]string  // settings with the best mean, by label
	labels   []string             // of best
	scored   []string             // all methods with a score
}

func newVerdict(r *analysis.Run) *verdict {
	v := &verdict{tables: r.Overall, all: r.Tables, best: map[string][]string{}}
	var settings []layout.Setting
	for _, table := range r.Overall {
		settings = append(settings, table.Settings()...)
	}
	v.varied, _ = foldAspects(r.Layout, settings)
	for _, table := range r.Overall {
		labels, lead := analysis.MethodLabels(table.Methods), table.Lead()
		for _, row := range table.Rows {
			for j := range row.Entries {
				if row.Entries[j].Summary[lead].N > 0 {
					v.scored = append(v.scored, labels[j])
				}
			}
			if !row.Common[lead].Compares() {
				continue
			}
			v.compared = append(v.compared, row)
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

func (v *verdict) sentences(partial bool) []string {
	var list []string
	for _, sentence := range []string{v.bestSentence(), v.chanceSentence(), v.floorSentence(), v.allInSentence()} {
		if sentence != "" {
			list = append(list, sentence)
		}
	}
	if partial && len(list) > 0 {
		list[0] = "So far: " + list[0]
	}
	return list
}

// allInSentence counts the cells in which a method leaves no row out at any step.
func (v *verdict) allInSentence() string {
	var words []string
	cells, all := map[string]int{}, map[string]int{}
	step := ""
	seen := map[results.CellKey]bool{}
	for at := range analysis.EachEntry(v.all...) {
		label := analysis.MethodLabels(at.Table.Methods)[at.Method]
		for i := range at.Entry.Sample {
			sample := &at.Entry.Sample[i]
			if seen[sample.Cell] || !(sample.Step[1] > 0) {
				continue
			}
			seen[sample.Cell], step = true, at.Table.Layout.Step.Word
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
	return fmt.Sprintf("No row is out at any %s of %s.", step, listed(words))
}

// inSettings omits the total if of is 0, and names a few.
func (v *verdict) inSettings(places []string, of int) string {
	const most = 3
	words := fmt.Sprint(len(places))
	if of > 0 {
		words += " of " + prose.Plural(of, "setting")
	}
	if len(places) <= most && places[0] != "" {
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
	case n == 1 && len(v.labels) == 1:
		return v.labels[0] + " has the best mean test score."
	case n == 1:
		return listed(v.labels) + " have the same best mean test score."
	case len(v.labels) == 1 && n == 2:
		return v.labels[0] + " has the best mean test score in both settings."
	case len(v.labels) == 1:
		return fmt.Sprintf("%s has the best mean test score in all %d settings.", v.labels[0], n)
	}
	var words []string
	for _, label := range v.labels {
		words = append(words, fmt.Sprintf("%s in %s", label, v.inSettings(v.best[label], n)))
		n = 0
	}
	const most = 5
	if len(words) > most {
		words = append(words[:most], prose.Plural(len(words)-most, "more method")+" in fewer")
	}
	return "Best mean test score: " + strings.Join(words, ", ") + "."
}

func (v *verdict) chanceSentence() string {
	tested, ahead, fewest, methods := 0, 0, math.MaxInt, 0
	for _, table := range v.tables {
		lead := table.Lead()
		for _, row := range table.Rows {
			switch {
			case !row.Common[lead].Compares():
			case row.Tested[lead]:
				tested++
				level := 0
				for j := range row.Entries {
					if row.Entries[j].Best[lead] || row.Entries[j].Equal[lead] {
						level++
					}
				}
				if level == 1 {
					ahead++
				}
			default:
				fewest, methods = min(fewest, len(row.Common[lead].Repeats)), max(methods, row.Common[lead].Methods)
			}
		}
	}
	n := len(v.compared)
	if n == 0 {
		return ""
	}
	if tested == 0 {
		return fmt.Sprintf("With %s no difference can be told from chance: %s need %d.",
			prose.Plural(fewest, "repeat"), prose.Plural(methods, "method"), analysis.NeededRepeats(methods*(methods-1)/2))
	}
	text := fmt.Sprintf("At 5 %% the best differs significantly from every other method in %d of %d", ahead, n)
	if tested < n {
		text += fmt.Sprintf("; %d have too few repeats for a test", n-tested)
	}
	return text + "."
}

func (v *verdict) floorSentence() string {
	var none []string
	some := map[string][]string{} // by label
	floored, floor := 0, ""
	for _, table := range v.tables {
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
		parts = append(parts, "every method in "+v.inSettings(none, floored))
		floored = 0
	}
	for _, label := range v.scored {
		if places := some[label]; len(places) > 0 {
			parts = append(parts, label+" in "+v.inSettings(places, floored))
			floored = 0
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("Not better than the %s: %s.", floor, strings.Join(parts, ", "))
}

func failureSheet(r *analysis.Run) *sheet {
	s := &sheet{
		Name: "failures", List: true, Title: fmt.Sprintf("Failed cells: %d; incomplete: %d", r.Failed, r.Incomplete),
		Caption: "Means leave them out.",
		Columns: []sheetColumn{{Head: "cells", Label: true}, {Head: "reason", Wrap: true}, {Head: "one of them"}, {Head: "what", Wrap: true}},
	}
	if r.Failed == 0 {
		s.Title = fmt.Sprintf("Incomplete cells: %d", r.Incomplete)
	} else if r.Incomplete == 0 {
		s.Title = fmt.Sprintf("Failed cells: %d", r.Failed)
	}
	if r.Incomplete > 0 {
		s.Caption += " Paths of incomplete ones stop before the last " + r.Layout.Step.Word + "."
	}
	for _, f := range r.Reasons {
		status := ""
		if f.Status == experiment.Skipped {
			continue
		}
		if f.Status != experiment.Failed {
			status = " " + string(f.Status)
		}
		s.Rows = append(s.Rows, []sheetCell{{Text: fmt.Sprintf("%d x %s%s", f.Cells, f.Method, status)}, {Text: f.Text}, {Text: f.Cell}, {Text: f.What}})
	}
	return s
}
