package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// chosenText names the parameters that were chosen as the columns of the files do, ""
// where there was no choice.
func chosenText(l *layout.Layout, s *analysis.Selected) string {
	var words []string
	for _, d := range l.Chosen() {
		if s.Row[d] != s.Setting[d] {
			words = append(words, l.Column(d)+"="+s.Setting[d].String())
		}
	}
	if s.Shown != "" {
		words = append(words, s.Shown)
	}
	return strings.Join(words, " ")
}

// selectedSheet shows which parameters select: best chose for each setting and
// method, those of most repeats first.
func selectedSheet(l *layout.Layout, selected []analysis.Selected) *sheet {
	part := map[experiment.Select]string{experiment.SelectValidation: "validation", experiment.SelectTest: "test"}[selected[0].By]
	s := &sheet{
		Name: "selected", Title: "Parameters with the best " + part + " score of each repeat",
		Caption: "In parentheses: in how many repeats. " + analysis.SelectedFile + " tells the cell of each.",
		Columns: []sheetColumn{{Head: "setting", Label: true}, {Head: "method", Label: true}, {Head: "parameters"}},
	}
	for begin, end := 0, 0; begin < len(selected); begin = end {
		first := &selected[begin]
		name := analysis.MethodName(first.Method)
		for end < len(selected) && selected[end].Row == first.Row && analysis.MethodName(selected[end].Method) == name {
			end++
		}
		s.Rows = append(s.Rows, []sheetCell{
			{Text: l.Describe(first.Row)}, {Text: analysis.MethodLabel(name)}, {Text: countChoices(l, selected[begin:end])},
		})
	}
	return s
}

// countChoices says how often each choice was made, as in "alpha=0.1 (3), ...".
func countChoices(l *layout.Layout, list []analysis.Selected) string {
	counts := map[string]int{}
	var texts []string
	for i := range list {
		text := cmp.Or(chosenText(l, &list[i]), "no choice")
		if list[i].Cell == "" {
			text = "no cell has a score"
		}
		if counts[text]++; counts[text] == 1 {
			texts = append(texts, text)
		}
	}
	slices.SortStableFunc(texts, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	const most = 4
	for i, text := range texts {
		texts[i] = fmt.Sprintf("%s (%d)", text, counts[text])
	}
	if len(texts) > most {
		texts = append(texts[:most], fmt.Sprintf("%d more", len(texts)-most))
	}
	return strings.Join(texts, ", ")
}
