package report

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// formatCells has two repeats, a failed cell, a missing method and names that
// every format must escape.
func formatCells() []testrun.Row {
	base := testrun.Row{"dataset": `a_b|50% & more`}
	linear := testrun.Merge(base, testrun.Row{"regularizer": "linear"})
	return []testrun.Row{
		testrun.Merge(base, testrun.Row{"method": "original", "test_at_best_test": 10.5, "repeat": 1}),
		testrun.Merge(base, testrun.Row{"method": "original", "test_at_best_test": 9.5, "repeat": 2}),
		testrun.Merge(linear, testrun.Row{"method": "gaga", "test_at_best_test": 8.25, "repeat": 1}),
		testrun.Merge(linear, testrun.Row{"method": "gaga", "test_at_best_test": nil, "status": "failed", "error": "x", "repeat": 2}),
		testrun.Merge(linear, testrun.Row{"method": "gaga", "test_at_best_test": nil, "status": "failed", "alpha": 0.5}),
		testrun.Merge(linear, testrun.Row{"method": "huber_x", "test_at_best_test": 7., "alpha": 0.5}),
	}
}

func formatReport(t *testing.T) *Report {
	r := loaded(t, formatCells())
	r.Name = "name_with_underscores"
	r.Reasons = []analysis.Reason{{Method: "GAGA", Status: experiment.Failed, Text: "matrix\nis *singular*", Cells: 2, Cell: testrun.ID(3), What: "gaga: a|b"}}
	return r
}

func written(t *testing.T, name string, r *Report) string {
	t.Helper()
	format, err := FormatNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := format.Files[0].Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := (Text{}).Write(&b, formatReport(t)); err != nil {
		t.Fatal(err)
	}
	const want = `huber_x has the best mean test score. With 1 repeat nothing is tested: it takes 2, and differences
that vary; 10 are usual; nothing is said about other data sets.

Test RMSE (lower is better), mean ± standard deviation over 1 of 2 repeats
Chosen by the oracle (the test part): age and α. Data set: a_b|50% & more. Model: Lasso.
Regularizer: linear. Noise: none. * best.
Original  GAGA                     huber_x
--------  -----------------------  -------
10.50     8.25 (1 of 2; 1 failed)  7.00*

Chosen by the oracle (the test part): age and α
What most repeats chose; the median age.
Original   GAGA       huber_x
---------  ---------  --------
α=0.01; 0  α=0.01; 0  α=0.5; 0

Failed cells: 2
Means leave them out.
2 x GAGA: matrix is *singular*
- one of them: 00000000000000000000000000000003, what: gaga: a|b
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextOnTerminal(t *testing.T) {
	t.Parallel()
	plain, bold := &strings.Builder{}, &strings.Builder{}
	s := scoreSheet(formatReport(t).Tables[0], analysis.TestAtBestTest)
	Text{MaxRows: 1}.writeSheets(plain, []*sheet{s})
	Text{Bold: true, MaxRows: 1}.writeSheets(bold, []*sheet{s})
	for _, text := range []string{plain.String(), bold.String()} {
		if !strings.Contains(text, "... and 1 more row: report.md has up to 200, --format html or csv all\n") || strings.Contains(text, "7.00") {
			t.Errorf("one of two rows:\n%s", text)
		}
	}
	if strings.Contains(bold.String(), "*") || !strings.Contains(bold.String(), "\x1b[1m8.25 (1 of 2; 1 failed)\x1b[0m  -") {
		t.Errorf("bold:\n%q", bold)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("plain:\n%q", plain)
	}
}

func TestTextAligns(t *testing.T) {
	t.Parallel()
	cells := testrun.Quickstart(3).Cells
	var b strings.Builder
	if err := (Text{}).Write(&b, loaded(t, cells)); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for block := range strings.SplitSeq(b.String(), "\n\n") {
		_, block, _ = strings.Cut(block, "---")
		lines := strings.Split(block, "\n")
		if len(lines) < 3 {
			continue
		}
		want := plusMinus(lines[1])
		for _, line := range lines[2:] {
			if strings.Contains(line, "±") {
				checked++
			}
			if strings.Contains(line, "±") && !slices.Equal(plusMinus(line), want) {
				t.Errorf("± is not below ±:\n%s\n%s", lines[2], line)
			}
		}
	}
	if checked != 2-1+2-1 {
		t.Errorf("%d rows were compared", checked)
	}
}

func plusMinus(line string) []int {
	var at []int
	for i, r := range []rune(line) {
		if r == '±' {
			at = append(at, i)
		}
	}
	return at
}

func TestCSV(t *testing.T) {
	t.Parallel()
	lines, err := csv.NewReader(strings.NewReader(written(t, "csv", formatReport(t)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1+4 {
		t.Fatalf("%d lines, want a head and 4 rows", len(lines))
	}
	head := map[string]int{}
	for j, name := range lines[0] {
		head[name] = j
	}
	want := []map[string]string{
		{"method": "original", "regularizer": "linear", "dataset": "a_b|50% & more", "metric": "rmse", "alpha": "0.01", "c": "",
			"test_at_best_test_mean": "10", "test_at_best_test_n": "2", "test_at_best_test_best": "false", "cells": "2", "failed": "0", "test_at_best_validation_mean": "", "test_at_best_validation_n": "0"},
		{"method": "gaga", "test_at_best_test_mean": "8.25", "test_at_best_test_std": "", "test_at_best_test_n": "1", "test_at_best_test_best": "true", "cells": "2", "failed": "1"},
		{"method": "gaga", "alpha": "0.5", "test_at_best_test_mean": "", "test_at_best_test_n": "0", "test_at_best_test_best": "false", "failed": "1"},
		{"method": "huber_x", "test_at_best_test_mean": "7", "test_at_end_mean": "0", "selection_bias_mean": "", "failed": "0"},
	}
	for i, fields := range want {
		for name, value := range fields {
			if got := lines[i+1][head[name]]; got != value {
				t.Errorf("line %d, %s: %q, want %q", i+1, name, got, value)
			}
		}
	}
	if std, err := strconv.ParseFloat(lines[1][head["test_at_best_test_std"]], 64); err != nil || !testrun.Near(std*std, 0.5) {
		t.Errorf("test_at_best_test_std %q", lines[1][head["test_at_best_test_std"]])
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	r := formatReport(t)
	r.Missing = []string{"half of it"}
	r.LeftOut = []string{"path-a", "path-b"}
	text := written(t, "markdown", r)
	for _, want := range []string{
		"# name\\_with\\_underscores\n",
		" Data set: a\\_b\\|50% & more.",
		"| 10.50 | 8.25 (1 of 2; 1 failed) | **7.00** |\n",
		"\nThe formats csv, latex and html have these tables: 2 rows.\n",
		"## What is missing\n\n- half of it\n",
		"### Failed cells: 2\n",
		"| 2 x GAGA | matrix is \\*singular\\* | " + testrun.ID(3) + " | gaga: a\\|b |\n",
		"2 figures left out (`coordinator report DIR --figures 2` draws all).\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	// Every table is rectangular.
	columns, tables := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if columns == 0 {
			columns = n
			tables++
		}
		if n != columns {
			t.Errorf("a row of %d bars in a table of %d: %s", n, columns, line)
		}
	}
	if tables != 3 {
		t.Errorf("%d tables, want those of scores, choices and failures", tables)
	}
}

func TestMarkdownRows(t *testing.T) {
	t.Parallel()
	var rows []testrun.Row
	for i := range markdownRows + 5 {
		rows = append(rows, testrun.Row{"method": "acs", "noise_kind": "flip", "noise_level": float64(i + 1)})
	}
	text := written(t, "markdown", loaded(t, rows))
	if !strings.Contains(text, "\nLeft out: 5 more rows; the formats csv, latex and html have all.\n") || strings.Contains(text, "\n| flip 201 |") {
		t.Error("a long table is not cut")
	}
}

func TestLaTeX(t *testing.T) {
	t.Parallel()
	text := written(t, "latex", formatReport(t))
	for _, want := range []string{
		` Data set: a\_b\textbar{}50\% \& more.`,
		`$\alpha$ & Original & GAGA & huber\_x & repeats \\`,
		`0.01 & 10.50 & $\mathbf{8.25}$ (1 of 2; 1 failed) & - & 1 of 2 \\`,
		`\label{tab:name-with-underscores-values-rmse}`,
		`\begin{tabular}{rlllr}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	checkLaTeX(t, text, 4, 0)

	var rows []testrun.Row
	for i := range longTable + 1 {
		rows = append(rows, testrun.Row{"method": "acs", "alpha": float64(i + 1)})
	}
	checkLaTeX(t, written(t, "latex", loaded(t, rows)), 2, 1)
}

// checkLaTeX checks what makes a table compile: balanced braces and
// environments, and as many columns in each row as the table has.
func checkLaTeX(t *testing.T, text string, tables, longTables int) {
	t.Helper()
	bare := strings.NewReplacer(`\\`, "", `\{`, "", `\}`, "", `\&`, "", `\$`, "").Replace(text)
	if strings.Count(bare, "{") != strings.Count(bare, "}") || strings.Count(bare, "$")%2 != 0 {
		t.Error("braces or dollars are not balanced")
	}
	for environment, n := range map[string]int{"table": tables, "tabular": tables, "longtable": longTables} {
		if strings.Count(text, `\begin{`+environment+`}`) != n || strings.Count(text, `\end{`+environment+`}`) != n {
			t.Errorf("not %d of %s", n, environment)
		}
	}
	columns := 0
	for line := range strings.SplitSeq(text, "\n") {
		if _, spec, ok := strings.Cut(line, `\begin{tabular}{`); ok {
			columns = len(strings.ReplaceAll(spec, "{150pt}", "")) - 1
		}
		if _, spec, ok := strings.Cut(line, `\begin{longtable}{`); ok {
			columns = len(strings.ReplaceAll(spec, "{150pt}", "")) - 1
		}
		if n := strings.Count(strings.ReplaceAll(line, `\&`, ""), " & "); n > 0 && n+1 != columns {
			t.Errorf("%d columns of %d: %s", n+1, columns, line)
		}
	}
}

// TestVisible wants what acts on a terminal, or turns letters round, in no text of a report.
func TestVisible(t *testing.T) {
	t.Parallel()
	const text = "a\x1b]0;title\ab\u009b31m c\x00d\u202ee_\u00a0é\n-"
	const want = "a\uFFFD\\]0;title\uFFFDb\uFFFD31m c\uFFFDd\uFFFDe\\_\u00a0é -"
	if got := EscapeMarkdown(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s := &sheet{Title: text, Columns: []sheetColumn{{Head: text}}, Rows: [][]sheetCell{{{Text: text}}}}
	list := *s
	list.List, list.Columns, list.Rows = true, []sheetColumn{{Head: text}, {Head: text}, {Head: text}}, [][]sheetCell{{{Text: text}, {Text: text}, {Text: text}}}
	var b strings.Builder
	Text{}.writeSheets(&b, []*sheet{s, &list})
	if got := b.String() + escapeLaTeX(text); strings.ContainsAny(got, "\x1b\a\x00\u009b\u202e") || strings.Count(got, "]0;title") != 9 {
		t.Errorf("%q", got)
	}
}

func TestEscapeLaTeX(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{`plain text-1.5`, `plain text-1.5`},
		{`a&b%c$d#e_f`, `a\&b\%c\$d\#e\_f`},
		{`{x}`, `\{x\}`},
		{`\input{x}`, `\textbackslash{}input\{x\}`},
		{`~^`, `\textasciitilde{}\textasciicircum{}`},
		{`<"|>`, `\textless{}''\textbar{}\textgreater{}`},
		{`[1] *`, `{[}1] {*}`},
		{"α γ λ ±", `$\alpha$ $\gamma$ $\lambda$ $\pm$`},
		{"a\nb\tc", "a b c"},
		{"-0.5", "$-$0.5"},
		{"[-0.5, -0.1] of a - b", "{[}$-$0.5, $-$0.1] of a $-$ b"},
		{"rank-biserial 1e-05, - : no cells", "rank-biserial 1e-05, - : no cells"},
	}
	for _, test := range tests {
		if got := escapeLaTeX(test.text); got != test.want {
			t.Errorf("%q: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestFormatNamed(t *testing.T) {
	t.Parallel()
	for _, f := range Formats {
		if got, err := FormatNamed(f.Name); err != nil || got.Name != f.Name {
			t.Errorf("%s: %v, %v", f.Name, got, err)
		}
	}
	_, err := FormatNamed("pdf")
	if err == nil || !strings.Contains(err.Error(), `"pdf"`) || !strings.Contains(err.Error(), "markdown, csv, latex") {
		t.Errorf("error %v", err)
	}
}

func TestSettingWords(t *testing.T) {
	t.Parallel()
	number := func(x float64) layout.Value { return layout.Value{Number: x, IsNumber: true} }
	text := func(s string) layout.Value { return layout.Value{Text: s} }
	tests := []struct {
		setting layout.Setting
		want    string
	}{
		{layout.Setting{selfpaced.DimDataset: text("d"), selfpaced.DimModel: text("svm"), selfpaced.DimKernel: text("rbf"), selfpaced.DimKernelGamma: text("scale"), selfpaced.DimC: number(0.1 + 0.2)},
			"d, SVM, RBF kernel, no noise, kernel γ=scale, C=0.3"},
		{layout.Setting{selfpaced.DimModel: text("svm"), selfpaced.DimKernel: text("linear"), selfpaced.DimRegularizer: text("hard"), selfpaced.DimNoiseKind: text("flip"), selfpaced.DimNoiseLevel: number(0.3)},
			"SVM, linear kernel, hard regularizer, noise: flip 0.3"},
		{layout.Setting{selfpaced.DimModel: text("logistic"), selfpaced.DimRegularizer: text("polynomial"), selfpaced.DimRegularizerParam: number(1.35)},
			"logistic regression, polynomial t=1.35 regularizer, no noise"},
		{layout.Setting{selfpaced.DimModel: text("new"), selfpaced.DimRegularizer: text("log"), selfpaced.DimRegularizerParam: number(1), selfpaced.DimAlpha: number(1e-3)},
			"new, LOG a=1 regularizer, no noise, α=0.001"},
		{layout.Setting{selfpaced.DimModel: text("elastic-net"), selfpaced.DimAlpha: number(0.01), selfpaced.DimL1Ratio: number(0.5)},
			"elastic net, no noise, α=0.01, L1 ratio=0.5"},
		{layout.Setting{selfpaced.DimModel: text("erm"), selfpaced.DimLoss: text(`{"quantile":{"q":0.5}}`), selfpaced.DimConstraint: text(`{"fairness":{"columns":"0,1","tolerance":0.01}}`), selfpaced.DimC: number(1)},
			"empirical risk, quantile q 0.5, fairness columns 0, 1, tolerance 0.01, no noise, C=1"},
		{layout.Setting{selfpaced.DimModel: text("lasso"), selfpaced.DimIntercept: text("true"), selfpaced.DimProtocol: text("paper"),
			selfpaced.DimSplitTrain: number(3), selfpaced.DimSplitTest: number(1), selfpaced.DimSplitValidation: number(0.1),
			selfpaced.DimScaleFeatures: text("none"), selfpaced.DimScaleTarget: text("minmax")},
			"Lasso, with intercept, no noise, protocol paper, split 3 for training, 1 for testing, validation 0.1, scale features none, target minmax"},
		{layout.Setting{selfpaced.DimModel: text("lasso"), selfpaced.DimIntercept: text("false"), selfpaced.DimSplitValidation: number(0)},
			"Lasso, no intercept, no noise, split validation 0"},
		{layout.Setting{selfpaced.DimModel: text("erm"), selfpaced.DimLoss: text("hinge")}, "empirical risk, hinge, no constraint, no noise"},
	}
	for _, test := range tests {
		if got := selfpaced.Layout.Describe(test.setting); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// TestTextFits wants every line of tables to keep to 100 columns, however many
// labels and methods there are, and every mean to be shown once.
func TestTextFits(t *testing.T) {
	t.Parallel()
	cells := testrun.Quickstart(3).Cells
	for _, method := range []string{"mospl", "huber-lasso", "rlssvm", "relssvm", "robust-svm", "another", "yet-another"} {
		cells = append(cells, testrun.Row{"method": method, "dataset": "a data set with a long name", "model": "svm", "kernel": "rbf", "alpha": nil, "c": 1.0,
			"metric": "accuracy", "regularizer": "mixture", "regularizer_param": 0.5, "noise_kind": "flip", "noise_level": 0.3, "test_at_best_test": 0.512 + 0.001*float64(len(method))})
	}
	tables := tablesOf(t, cells)
	var b strings.Builder
	for _, table := range tables {
		Text{}.writeSheets(&b, []*sheet{scoreSheet(table, analysis.TestAtBestTest)})
	}
	writeNotes(&b, []string{strings.Repeat("many words ", 30)})
	for line := range strings.SplitSeq(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	scored := 0
	for _, table := range tables {
		for i := range table.Rows {
			for j := range table.Rows[i].Entries {
				if e := &table.Rows[i].Entries[j]; e.Summary[analysis.TestAtBestTest].N > 0 {
					scored++
				}
			}
		}
	}
	means := 0
	for line := range strings.SplitSeq(b.String(), "\n") {
		if !strings.Contains(line, "mean ±") {
			means += len(regexp.MustCompile(`0\.\d{4}( ± 0\.\d{4})?`).FindAllString(line, -1))
		}
	}
	if means != scored {
		t.Errorf("%d means are shown of %d:\n%s", means, scored, b.String())
	}
}
