package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced/evaluation"
	"github.com/agepath/agepath/experiment/selfpaced/published"
	"github.com/agepath/agepath/results/analysis"
)

func publishedRow(noise float64) *published.Row {
	none := math.NaN()
	return &published.Row{Dataset: "music", Noise: noise, C: none, Alpha: none, KernelGamma: none, MixtureGamma: none}
}

func TestTable(t *testing.T) {
	t.Parallel()
	table := func(ours, validated analysis.Summary) *evaluation.PaperTable {
		p := &evaluation.PaperTable{Table: &published.Table{}}
		for _, noise := range []float64{0.1, 0.2} {
			p.Rows = append(p.Rows, &evaluation.PaperRow{
				Published: publishedRow(noise), Score: published.Score{Method: "gaga", Mean: 0.214, Std: 0.002},
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

// TestWrite wants a page for each table with a run by the scripts, a summary of the clean runs, and
// errors where a run does not say which table it is or two are the same column.
func TestWrite(t *testing.T) {
	t.Parallel()
	of := func(name string, table, validated int) *run {
		return &run{&analysis.Run{Name: name}, []*evaluation.PaperTable{{
			Table: &published.Table{Number: table, Title: "Noise"},
			Rows: []*evaluation.PaperRow{{
				Published: publishedRow(0.1), Ours: analysis.Summary{Mean: 1, N: 1},
				Validated: analysis.Summary{Mean: 2, N: validated},
			}},
		}}}
	}
	for want, list := range map[string][]*run{
		"give folders":            nil,
		"of 0 published tables":   {{Run: &analysis.Run{Name: "other"}}},
		"a and b are the same co": {of("a", 14, 0), of("b", 14, 0)},
	} {
		if err := write(t.TempDir(), list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	out := filepath.Join(t.TempDir(), "pages")
	if err := write(out, []*run{of("c", 14, 1), of("s", 14, 0), of("d", 16, 1)}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(out)
	if err != nil || len(files) != 2 || files[0].Name() != "summary.md" || files[1].Name() != "table14.md" {
		t.Fatalf("files %v, %v; want summary.md and table14.md", files, err)
	}
	page, err := os.ReadFile(filepath.Join(out, "table14.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"# Table 14: Noise\n", " | 1.0000 | ", "| 2.0000 |\n"} {
		if !strings.Contains(string(page), text) {
			t.Errorf("table14.md lacks %q:\n%s", text, page)
		}
	}
}
