package main

import (
	"strings"
	"testing"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

func TestTable(t *testing.T) {
	t.Parallel()
	table := func(ours, validated analysis.Summary) *analysis.PaperTable {
		p := &analysis.PaperTable{Table: &layout.PublishedTable{Columns: []layout.SheetColumn{{Head: "data set"}, {Head: "noise"}}}}
		for _, noise := range []string{"0.1", "0.2"} {
			p.Rows = append(p.Rows, analysis.PaperRow{
				Published: &layout.PublishedRow{Words: []string{"music", noise}}, Runs: 20, Score: layout.PublishedScore{Method: "gaga", Mean: 0.214, Std: 0.002},
				Label: "GAGA", Ours: ours, Validated: validated,
			})
		}
		return p
	}
	scripts := table(analysis.Summary{Mean: 0.215, Std: 0.001, N: 4}, analysis.Summary{})
	honest := table(analysis.Summary{Mean: 0.7, Std: 0.01, N: 4}, analysis.Summary{Mean: 0.725, Std: 0.01, N: 4})
	honest.Rows = honest.Rows[:1]
	var text strings.Builder
	writeTable(&text, scripts, honest)
	const want = `| noise | method | published | by the scripts | in standard errors | within two | clean rules |
| --- | --- | --- | --- | --: | --- | --- |
| 0.1 | GAGA | 0.214 ± 0.002 | 0.2150 ± 0.0010 | +1.5 | yes | 0.7250 ± 0.0100 |
| 0.2 | GAGA | 0.214 ± 0.002 | 0.2150 ± 0.0010 | +1.5 | yes | - |

Within two standard errors by the scripts' protocol: 2 of 2.
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
}
