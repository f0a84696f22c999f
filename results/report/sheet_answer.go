package report

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
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
		var rules []string
		if r.Data != nil {
			rules = r.Data.Rules
		}
		if s := chosenSheet(r.Overall, rules); s != nil {
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
func chosenSheet(tables []*analysis.ScoreTable, rules []string) *sheet {
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
	if len(rules) > 0 {
		s.Caption += fmt.Sprintf(" Rule for the %s: %s.", l.Step.Word, strings.Join(rules, "; "))
	}
	varied, _ := foldAspects(l, settings)
	s.AddAspects(varied)
	s.Columns = append(s.Columns, columns(sheetColumn{}, analysis.MethodLabels(methods))...)
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
	return orDash(text)
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
