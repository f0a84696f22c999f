// Gallery writes a page of docs/gallery from two folders of results: each number of a table of
// the GAGA paper beside a run by the protocol of its scripts and beside one under clean rules,
// and the paired tests of the latter, without which that column stays empty.
//
//	go run ./examples/gallery out/table14-scripts out/table14-honest
//
// With --summary it counts, over any number of runs under clean rules, where following the
// path is better.
//
//	go run ./examples/gallery --summary out/table14-honest out/table16-honest
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

func main() {
	summary := flag.Bool("summary", false, "count over runs under clean rules")
	flag.Parse()
	var runs []*analysis.Run
	for _, dir := range flag.Args() {
		run, err := analysis.Load(context.Background(), dir, analysis.Options{Paper: true})
		if err != nil {
			fmt.Fprintln(os.Stderr, "gallery:", err)
			os.Exit(1)
		}
		runs = append(runs, run)
	}
	one := func(k int) bool { return len(runs) > k && len(runs[k].Paper) == 1 }
	switch {
	case *summary && len(runs) > 0:
		writeSummary(os.Stdout, runs)
	case !*summary && len(runs) == 1 && one(0):
		writeTable(os.Stdout, runs[0].Paper[0], &analysis.PaperTable{})
	case !*summary && len(runs) == 2 && one(0) && one(1):
		writeTable(os.Stdout, runs[0].Paper[0], runs[1].Paper[0])
		writeTests(os.Stdout, runs[1])
	default:
		fmt.Fprintln(os.Stderr, "gallery: give a run of grids/scripts and none or one of grids/honest of the same table, or --summary and runs of grids/honest")
		os.Exit(2)
	}
}

// writeTable writes the three columns. Of both runs it takes the first row of each number.
func writeTable(w io.Writer, scripts, honest *analysis.PaperTable) {
	clean := map[string]*analysis.PaperRow{}
	for i := range honest.Rows {
		if row := &honest.Rows[i]; clean[row.Key()] == nil {
			clean[row.Key()] = row
		}
	}
	var varying []int
	for k, c := range scripts.Table.Columns {
		first := scripts.Rows[0].Published.Words[k]
		if c.Head == "model" || c.Head == "kernel γ" || !slices.ContainsFunc(scripts.Rows, func(r analysis.PaperRow) bool { return r.Published.Words[k] != first }) {
			continue
		}
		varying = append(varying, k)
		fmt.Fprintf(w, "| %s ", c.Head)
	}
	fmt.Fprintln(w, "| method | published | by the scripts | in standard errors | within two | clean rules |")
	fmt.Fprintln(w, strings.Repeat("| --- ", len(varying))+"| --- | --- | --- | --: | --- | --- |")
	seen := map[string]bool{}
	for i := range scripts.Rows {
		row := &scripts.Rows[i]
		if seen[row.Key()] {
			continue
		}
		seen[row.Key()] = true
		for _, k := range varying {
			fmt.Fprintf(w, "| %s ", report.EscapeMarkdown(row.Published.Words[k]))
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

// comparison is what following the path is worth beside another method in one setting, the age
// chosen by validation.
type comparison struct {
	setting, against string
	pairs            int
	gain             float64 // of the score, positive where the path is better
	p                float64 // by Holm's correction over the methods of the setting
}

// comparisons returns those of a run.
func comparisons(run *analysis.Run) []comparison {
	var list []comparison
	for _, of := range run.Compared() {
		for _, row := range of.Rows {
			if row.Score != analysis.TestAtBestValidation {
				continue
			}
			for k, c := range row.Comparisons {
				method, against := of.Table.Methods[c.Method], of.Table.Methods[c.Against]
				if method != selfpaced.GAGA || row.Effects == nil {
					continue
				}
				gain := row.Effects[k].Shift
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

func writeTests(w io.Writer, run *analysis.Run) {
	fmt.Fprintln(w, "\n| clean rules | GAGA against | pairs | gain | p (Holm) |\n| --- | --- | --: | --: | --: |")
	for _, c := range comparisons(run) {
		fmt.Fprintf(w, "| %s | %s | %d | %+.4f | %s |\n", report.EscapeMarkdown(c.setting), c.against, c.pairs, c.gain, analysis.Probability(c.p))
	}
}

// level is the gain up to which two methods count as level.
const level = 0.00005

func writeSummary(w io.Writer, runs []*analysis.Run) {
	fmt.Fprintln(w, "| run | GAGA against | settings | better | level | worse | better at 5 % | worse at 5 % | gains |\n"+
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
