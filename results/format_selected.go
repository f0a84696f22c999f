package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
)

// text names the parameters that were chosen as the columns of the files do, "" where there was no choice.
func (s *Selected) text() string {
	var words []string
	for _, d := range hyperparameters {
		if s.Row[d] != s.Setting[d] {
			words = append(words, d.String()+"="+s.Setting[d].String())
		}
	}
	if _, settings := cutMethod(s.Method); settings != "" {
		words = append(words, settings)
	}
	return strings.Join(words, " ")
}

// writeMarkdownSelected writes which parameters select: best chose for each
// setting and method, those of most repeats first.
func writeMarkdownSelected(b *strings.Builder, r *Report) {
	if len(r.Selected) == 0 {
		return
	}
	part := map[experiment.Select]string{experiment.SelectValidation: "validation", experiment.SelectOracle: "test"}[r.Selected[0].By]
	fmt.Fprintf(b, "\n## Chosen parameters\n\nThose with the best %s score in each repeat, and in how many repeats they are. [%s](%s) tells the cell of each.\n\n",
		part, selectedFile, selectedFile)
	markdownLine(b, []string{"setting", "method", "parameters"})
	markdownLine(b, []string{"---", "---", "---"})
	lines := 0
	for begin, end := 0, 0; begin < len(r.Selected); begin = end {
		first := &r.Selected[begin]
		name := methodName(first.Method)
		for end < len(r.Selected) && r.Selected[end].Row == first.Row && methodName(r.Selected[end].Method) == name {
			end++
		}
		if lines++; lines > markdownRows {
			continue
		}
		label := methodStylesOf([]string{name})[0].label
		markdownLine(b, escapeMarkdownAll([]string{describe(first.Row), label, countChoices(r.Selected[begin:end])}))
	}
	if lines > markdownRows {
		fmt.Fprintf(b, "\nLeft out: %s.\n", plural(lines-markdownRows, "more row"))
	}
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
