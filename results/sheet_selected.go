package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// text names the parameters that were chosen as the columns of the files do, ""
// where there was no choice.
func (s *Selected) text() string {
	var words []string
	for _, d := range hyperparameters {
		if s.Row[d] != s.Setting[d] {
			words = append(words, d.String()+"="+s.Setting[d].String())
		}
	}
	if s.shown != "" {
		words = append(words, s.shown)
	}
	return strings.Join(words, " ")
}

// selectedSheet shows which parameters select: best chose for each setting and
// method, those of most repeats first.
func selectedSheet(selected []Selected) *sheet {
	part := map[experiment.Select]string{experiment.SelectValidation: "validation", experiment.SelectTest: "test"}[selected[0].By]
	s := &sheet{
		name: "selected", title: "Parameters with the best " + part + " score of each repeat",
		caption: "In parentheses: in how many repeats. " + selectedFile + " tells the cell of each.",
		columns: []sheetColumn{{head: "setting", label: true}, {head: "method", label: true}, {head: "parameters"}},
	}
	for begin, end := 0, 0; begin < len(selected); begin = end {
		first := &selected[begin]
		name := methodName(first.Method)
		for end < len(selected) && selected[end].Row == first.Row && methodName(selected[end].Method) == name {
			end++
		}
		s.rows = append(s.rows, []sheetCell{
			{text: describe(first.Row)}, {text: methodStylesOf([]string{name})[0].label}, {text: countChoices(selected[begin:end])},
		})
	}
	return s
}

// countChoices says how often each choice was made, as in "alpha=0.1 (3), ...".
func countChoices(list []Selected) string {
	counts := map[string]int{}
	var texts []string
	for i := range list {
		text := cmp.Or(list[i].text(), "no choice")
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
