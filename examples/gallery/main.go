// Gallery writes a page for each table of the GAGA paper, from folders of results: the published
// numbers next to those of a run of grids/scripts and, if given, of a run of grids/honest with its
// paired tests. Over all runs of grids/honest, summary.md counts where following the path is
// better.
//
//	go run ./examples/gallery --out out/gallery out/table*-scripts out/table*-honest
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/experiment/selfpaced/evaluation"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

func main() {
	out := flag.String("out", "out/gallery", "folder of the pages")
	flag.Parse()
	var list []*run
	for _, folder := range flag.Args() {
		r, err := analysis.Load(context.Background(), folder, analysis.Options{})
		if err != nil {
			fail(err)
		}
		tables, err := evaluation.PaperTables(r)
		if err != nil {
			fail(err)
		}
		list = append(list, &run{r, tables})
	}
	if err := write(*out, list); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gallery:", err)
	os.Exit(1)
}

type run struct {
	*analysis.Run
	paper []*evaluation.PaperTable
}

type pair struct {
	scripts, clean *run
}

func write(out string, list []*run) error {
	if len(list) == 0 {
		return errors.New("give folders of results of grids/scripts and grids/honest")
	}
	pairs := map[string]*pair{}
	for _, run := range list {
		if len(run.paper) != 1 {
			return fmt.Errorf("run %s has cells of %d published tables, want 1", run.Name, len(run.paper))
		}
		name := run.paper[0].Table.Name()
		of := cmp.Or(pairs[name], new(pair))
		place := &of.scripts
		if slices.ContainsFunc(run.paper[0].Rows, func(r *evaluation.PaperRow) bool { return r.Validated.N > 0 }) {
			place = &of.clean
		}
		if *place != nil {
			return fmt.Errorf("runs %s and %s are the same column of %s; give one of them", (*place).Name, run.Name, name)
		}
		*place, pairs[name] = run, of
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var clean []*run
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		of, column := pairs[name], &evaluation.PaperTable{}
		if of.clean != nil {
			clean, column = append(clean, of.clean), of.clean.paper[0]
		}
		if of.scripts == nil {
			continue // only the summary has it
		}
		var page strings.Builder
		table := of.scripts.paper[0]
		fmt.Fprintf(&page, "# Table %d: %s\n\n", table.Table.Number, table.Table.Title)
		writeTable(&page, table, column)
		if of.clean != nil {
			writeTests(&page, of.clean)
		}
		if err := os.WriteFile(filepath.Join(out, name+".md"), []byte(page.String()), 0o644); err != nil {
			return err
		}
	}
	if len(clean) == 0 {
		return nil
	}
	var page strings.Builder
	writeSummary(&page, clean)
	return os.WriteFile(filepath.Join(out, "summary.md"), []byte(page.String()), 0o644)
}

// writeTable writes the three columns, with the first row of each number in both runs.
func writeTable(w io.Writer, scripts, honest *evaluation.PaperTable) {
	clean := map[string]*evaluation.PaperRow{}
	for _, row := range honest.Rows {
		if clean[row.Key()] == nil {
			clean[row.Key()] = row
		}
	}
	varying, _ := scripts.Varying()
	varying = slices.DeleteFunc(varying, func(c evaluation.PaperColumn) bool { return c.Head == "model" || c.Head == "kernel γ" })
	for _, c := range varying {
		fmt.Fprintf(w, "| %s ", c.Head)
	}
	fmt.Fprintln(w, "| method | published | by the scripts | in standard errors | within two | clean rules |")
	fmt.Fprintln(w, strings.Repeat("| --- ", len(varying))+"| --- | --- | --- | --: | --- | --- |")
	seen := map[string]bool{}
	for _, row := range scripts.Rows {
		if seen[row.Key()] {
			continue
		}
		seen[row.Key()] = true
		for _, c := range varying {
			fmt.Fprintf(w, "| %s ", report.EscapeMarkdown(c.Text(row.Published)))
		}
		errors, within := "-", "-"
		if e := row.Errors(); !math.IsNaN(e) {
			errors, within = fmt.Sprintf("%+.1f", e), map[bool]string{true: "yes", false: "no"}[row.Within()]
		}
		var validated analysis.Summary
		if c := clean[row.Key()]; c != nil {
			validated = c.Validated
		}
		fmt.Fprintf(w, "| %s | %.3f ± %.3f | %s | %s | %s | %s |\n", row.Label, row.Score.Mean, row.Score.Std,
			mean(row.Ours), errors, within, mean(validated))
	}
	within, compared := scripts.Agreement()
	fmt.Fprintf(w, "\nWithin two standard errors by the scripts' protocol: %d of %d.\n", within, compared)
}

// comparison is the gain of GAGA over another method in one setting, with the age chosen by
// validation.
type comparison struct {
	setting, against string
	pairs            int
	gain             float64 // of the score, positive where the path is better
	p                float64 // corrected by Holm over the methods of the setting
}

func comparisons(run *run) []comparison {
	var list []comparison
	for _, of := range run.Compared() {
		if of.Table.Lead() != analysis.TestAtBestValidation {
			continue
		}
		for _, row := range of.Rows {
			for _, c := range row.Comparisons {
				method, against := of.Table.Methods[c.Method], of.Table.Methods[c.Against]
				if method != selfpaced.GAGA || c.Effect == nil {
					continue
				}
				gain := c.Effect.Shift
				if of.Table.Metric != analysis.Accuracy {
					gain = -gain
				}
				list = append(list, comparison{
					run.Layout.Describe(row.Row.Setting), analysis.MethodLabel(against), c.Pairs(), gain, c.Adjusted,
				})
			}
		}
	}
	return list
}

func writeTests(w io.Writer, run *run) {
	fmt.Fprintln(w, "\n| clean rules | GAGA against | pairs | gain | p (Holm) |\n| --- | --- | --: | --: | --: |")
	for _, c := range comparisons(run) {
		fmt.Fprintf(w, "| %s | %s | %d | %+.4f | %s |\n", report.EscapeMarkdown(c.setting), c.against, c.pairs, c.gain, analysis.Probability(c.p))
	}
}

const level = 0.00005

func writeSummary(w io.Writer, runs []*run) {
	fmt.Fprintln(w, "# GAGA under clean rules\n\n| run | GAGA against | settings | better | level | worse | better at 5 % | worse at 5 % | gains |\n"+
		"| --- | --- | --: | --: | --: | --: | --: | --: | --- |")
	for _, run := range runs {
		all := comparisons(run)
		for _, against := range []string{"Original", "ACS"} {
			var gains []float64
			counts := [5]int{} // better, level, worse, better and worse at 5 %
			for _, c := range all {
				if c.against != against {
					continue
				}
				gains = append(gains, c.gain)
				at := 1
				if math.Abs(c.gain) > level {
					at = map[bool]int{true: 0, false: 2}[c.gain > 0]
					if c.p < analysis.Significance {
						counts[map[bool]int{true: 3, false: 4}[c.gain > 0]]++
					}
				}
				counts[at]++
			}
			if gains != nil {
				fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d | %d | %d | %+.4f to %+.4f |\n", run.Name, against, len(gains),
					counts[0], counts[1], counts[2], counts[3], counts[4], slices.Min(gains), slices.Max(gains))
			}
		}
	}
}

func mean(s analysis.Summary) string {
	switch s.N {
	case 0:
		return "-"
	case 1:
		return fmt.Sprintf("%.4f", s.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", s.Mean, s.Std)
}
