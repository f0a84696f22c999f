package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
)

// indexed is a table of two classes, sorted by them, as pandas writes it with its index.
func indexed(index bool) string {
	var b strings.Builder
	line := func(first any, format string, args ...any) {
		if index {
			fmt.Fprintf(&b, "%v,", first)
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	line("", "a,b,class")
	for i := range 40 {
		line(i, "%v,%v,%d", float64(i*7%40)/8-0.5, float64(i*11%40)/4+0.25, i/20)
	}
	return b.String()
}

// TestReadings wants plan, manifest and report to say how a file was read, and a column of
// row numbers to change nothing but what they say.
func TestReadings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "with/data.csv", indexed(true))
	write(t, dir, "without/data.csv", indexed(false))
	grid := write(t, dir, "with/grid.yaml", labelGrid)
	const how = "csv separated by commas; names in line 1; target class (the last column): 0 is -1, 1 is +1; 2 features: a, b"
	const warning = "column 0 has no name and counts rows: it is left out; a name for it in line 1 keeps it"
	plan := must(t, "plan", grid).out
	for _, line := range []string{"\nread   data: " + how + "\n", "\nwarning: data: " + warning + "\n"} {
		if !strings.Contains(plan, line) {
			t.Errorf("plan does not say %q:\n%s", line, plan)
		}
	}
	object := conforms(t, "plan", must(t, "plan", grid, "--json").out)
	wantAt(t, object, []any{"data", 0, "read", how}, []any{"data", 0, "warnings", 0, warning}, []any{"data", 0, "feature_names", 1, "b"})
	other := conforms(t, "plan", must(t, "plan", write(t, dir, "without/grid.yaml", labelGrid), "--json").out)
	wantAt(t, other, []any{"data", 0, "digest", at(t, object, "data", 0, "digest")}, []any{"run", at(t, object, "run")})
	if warnings := at(t, other, "data", 0, "warnings").([]any); len(warnings) > 0 {
		t.Errorf("warnings without an index: %v", warnings)
	}

	out := filepath.Join(dir, "out")
	if o := must(t, "run", grid, "--out", out); !strings.Contains(strings.ReplaceAll(o.out, "\n", " "), warning) {
		t.Errorf("run does not say %q:\n%s", warning, o.out)
	}
	manifest, err := results.ReadManifest(out)
	if err != nil {
		t.Fatal(err)
	}
	if r := manifest.Readings; len(r) != 1 || r[0].Name != "data" || r[0].How != how || strings.Join(r[0].Warnings, "") != warning || strings.Join(r[0].Features, " ") != "a b" {
		t.Errorf("the manifest says %+v", r)
	}
	must(t, "report", out, "--format", "markdown,html,latex")
	files := contents(t, out)
	for _, name := range []string{"report.md", "report.html", "tables.tex"} {
		if text := files[filepath.Join("report", name)]; !strings.Contains(text, warning) || !strings.Contains(text, "names in line 1") {
			t.Errorf("%s does not say how the file was read", name)
		}
	}
}

// TestRemedies tries what messages about a file name.
func TestRemedies(t *testing.T) {
	t.Parallel()
	decimals := "a;kind;y\n"
	nulls := "a,kind,y\n"
	labels, marked := "", "a,mark,y\n"
	for i := range 30 {
		decimals += fmt.Sprintf("%d,25;%s;%d,5\n", i*7%30, []string{"red", "blue"}[i%2], i*11%30)
		nulls += fmt.Sprintf("%d.25,%s,%d.5\n", i*7%30, []string{"red", "None", "blue"}[i%3], i*11%30)
		marked += fmt.Sprintf("%d,good,%d\n", i*7%30, i*11%30)
		labels += fmt.Sprintf("%d 1:%d 2:%d\n", i%3, i*7%30, i*11%30)
	}
	svm := strings.Replace(dataGrid, "lasso: {alpha: 0.1}", "svm: {c: 1}", 1)
	for name, c := range map[string]struct {
		grid, data    string
		option, wrong string // before and in the message
		says, remedy  string // in the message
		read          string // with the remedy
	}{
		"decimal commas": {dataGrid, decimals, ", encode: onehot", "in a number column", `decimal: "," reads decimal commas`, `, decimal: ","`, "kind (2)"},
		"null of text":   {dataGrid, nulls, ", encode: onehot", "10 missing values", "missing: drop", ", missing: drop", "10 of 30 rows, lines 3, 6, 9"},
		"null as a kind": {dataGrid, nulls, ", encode: onehot", "10 missing values", `missing_marks: ["?"]`, `, missing_marks: ["?"]`, "kind (3)"},
		"another mark":   {dataGrid, strings.ReplaceAll(nulls, "None", "NULL"), ", encode: onehot, missing_marks: [NULL]", "10 missing values", "missing: mean", ", missing: mean", "10 missing values filled"},
		"three labels":   {svm, labels, "", "is for regression", "classes: {positive: [2]}", ", classes: {positive: [2]}", "0, 1 are -1, 2 is +1"},
		"no clean rows":  {dataGrid, marked, ", clean: {column: mark, values: [sound]}", "no row for testing is known to be clean", "values of clean name what marks clean rows", "", "30 of 30 rows are known to be clean"},
		"unknown marks":  {dataGrid, marked, ", clean: mark", "clean: \"good\"; allowed are 1, true", "clean: {column: mark, values: ...} names others", "", "30 of 30 rows are known to be clean"},
		"two labels":     {dataGrid, indexed(false), "", "is for classification", "task: regression", ", task: regression", "target class (the last column): regression"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "data.csv", c.data)
			grid := func(options string) string {
				return write(t, dir, "grid.yaml", strings.Replace(c.grid, "data.csv", "data.csv"+options, 1))
			}
			o := do(t, "plan", grid(c.option))
			if o.code == command.ExitDone || !strings.Contains(o.err, c.wrong) || !strings.Contains(o.err, c.says) {
				t.Fatalf("exit status %d, does not say %q and %q: %s%s", o.code, c.wrong, c.says, o.out, o.err)
			}
			option := c.option + c.remedy
			if c.remedy == "" {
				option = ", clean: {column: mark, values: [good]}"
			}
			if o := must(t, "plan", grid(option)); !strings.Contains(o.out, c.read) {
				t.Errorf("with %q plan does not say %q:\n%s", c.remedy, c.read, o.out)
			}
		})
	}
}
