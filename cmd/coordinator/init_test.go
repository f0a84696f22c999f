package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// customers is a table of mixed text and numbers with missing values, which ends with a label that x and z decide.
func customers(rows int, label func(good bool) string) string {
	random := rand.New(rand.NewPCG(7, uint64(rows)))
	gap := func(share float64, mark, value string) string {
		if random.Float64() < share {
			return mark
		}
		return value
	}
	var b strings.Builder
	b.WriteString("name,age,city,income,plan,churn\n")
	for i := range rows {
		age, income := 18+random.IntN(60), 40000+9000*random.NormFloat64()
		fmt.Fprintf(&b, "Person %d,%s,%s,%s,%s,%s\n", i, gap(0.05, "", fmt.Sprint(age)), gap(0.03, "NA", []string{"Rome", "Oslo", "Bonn"}[i%3]),
			gap(0.02, "n/d", fmt.Sprintf("%.2f", income)), []string{"basic", "plus"}[random.IntN(2)], label(float64(age-48)/10+(income-40000)/9000 > 0))
	}
	return b.String()
}

// identified are rows whose first column is another text in each.
func identified(rows int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "D%d,,%d.5,%d,%s,%d.25\n", i, i*7%31, i%5, []string{"u", "v"}[i%2], i*3%17)
	}
	return b.String()
}

func churn(good bool) string { return map[bool]string{true: "yes", false: "no"}[good] }

// TestInit goes from a file of 3,000 rows to a report with three commands; the run takes fewer rows and one repeat.
func TestInit(t *testing.T) {
	needs.Patience(t, "10 s")
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "customers.csv", customers(3000, churn))
	said := must(t, "init", "customers.csv", "--target", "churn").out
	grid := contents(t, dir)["customers.yaml"]
	for _, word := range []string{
		"# Read: 3000 rows; csv separated by commas; names in line 1", `"no" is -1, "yes" is +1`, "metric: accuracy", "drop: 0", "encode: onehot",
		`missing_marks: ["NA", "n/d"]`, "missing: median", "- logistic:", "- svm:", "kernel: rbf", "methods: [original, acs, gaga, trimmed-loss]",
	} {
		if !strings.Contains(grid, word) {
			t.Errorf("the grid does not say %q:\n%s", word, grid)
		}
	}
	plan := must(t, "plan", "customers.yaml").out
	_, estimate, _ := strings.Cut(plan, "\ntime   about ")
	if estimate, _, _ = strings.Cut(estimate, " on one core"); estimate == "" || !strings.Contains(said, "about "+estimate+" on one core") {
		t.Errorf("init says %q, plan %q", said, estimate)
	}
	if !strings.Contains(plan, "classification  3000         7  ") {
		t.Errorf("plan reads another table:\n%s", plan)
	}
	must(t, "run", "customers.yaml", "--set", "repeats=1", "--set", "rows=120")
	if report := contents(t, dir)[filepath.Join("out", "customers", "report", "report.md")]; !strings.Contains(report, "accuracy") {
		t.Errorf("no report:\n%s", report)
	}
	if o := do(t, "init", "customers.csv"); o.code != command.ExitRefused || !strings.Contains(o.err, "customers.yaml is there already; --grid FILE writes another file") {
		t.Errorf("init again: %d, %s", o.code, o.err)
	}
	must(t, "init", "customers.csv", "--grid", "other.yaml")
}

// TestInitOfForms writes grids that plan accepts for files of other forms, tasks and places.
func TestInitOfForms(t *testing.T) {
	t.Parallel()
	three := func() func(bool) string {
		i := 0
		return func(bool) string { i++; return []string{"high", "low", "middle"}[i%3] }
	}()
	number := func() func(bool) string {
		i := 0
		return func(bool) string { i++; return fmt.Sprintf("%d.5", i*7%83) }
	}()
	for name, c := range map[string]struct {
		file, text, target string
		says               string
	}{
		"three labels":      {"a.csv", customers(60, three), "churn", `classes: {positive: ["middle"]}`},
		"a regression":      {"a.csv", customers(60, number), "", "- lasso:"},
		"another target":    {"a.csv", customers(200, churn), "age", "missing: drop"},
		"decimal commas":    {"b c.csv", "a;b;y\n" + strings.Repeat("1,5;2,5;3,5\n2,5;1,25;7,5\n1,75;3,5;2,5\n", 20), "y", `decimal: ","`},
		"a title":           {"a.txt", "A title\na,b,y\n" + strings.Repeat("1.5,2,3\n2,4.5,1\n3,1,8\n", 20), "-1", "skip: 1"},
		"columns to drop":   {"a.csv", "id,empty,a,rate,k,y\n" + "C1,,2.5,inf,v,1.5\n" + identified(60), "", "drop: [0, 1, 3]"},
		"None as a label":   {"a.csv", "a,b,y\n" + strings.Repeat("1,2,None\n2,4,Mild\n3,1,None\n", 20), "", `missing_marks: ["?"]`},
		"a catalog's forms": {"a.arff", "@relation r\n@attribute a real\n@attribute y {u,v}\n@data\n" + strings.Repeat("1,u\n2,v\n3,v\n", 20), "", "- svm:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			args := []string{"init", write(t, dir, filepath.Join("data", c.file), c.text), "--grid", filepath.Join(dir, "grid.yaml")}
			if c.target != "" {
				args = append(args, "--target="+c.target)
			}
			must(t, args...)
			grid := contents(t, dir)["grid.yaml"]
			if !strings.Contains(grid, c.says) || !strings.Contains(grid, `path: "data/`+c.file+`"`) {
				t.Errorf("the grid does not say %q:\n%s", c.says, grid)
			}
			must(t, "plan", filepath.Join(dir, "grid.yaml"))
		})
	}
	dir := t.TempDir()
	for text, says := range map[string]string{
		"PK\x03\x04":              "a zip archive",
		"a,y\n1,2\n3\n4,5\n6,8\n": "1 fields, where line 1 has 2",
		"":                        "empty",
	} {
		if o := do(t, "init", write(t, dir, "a.csv", text), "--grid", filepath.Join(dir, "g.yaml")); o.code != command.ExitRefused || !strings.Contains(o.err, says) {
			t.Errorf("%q: %d, %s", text, o.code, o.err)
		}
	}
	if files := contents(t, dir); len(files) != 1 {
		t.Errorf("files after errors: %v", files)
	}
}

// TestGridRemedies applies what messages about a grid name.
func TestGridRemedies(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	t.Setenv("HOME", home)
	write(t, home, "x.csv", "a,y\n"+strings.Repeat("1,2\n2,5\n4,3\n", 10))
	write(t, dir, "data/x.csv", "a,y\n"+strings.Repeat("1,2\n2,5\n4,3\n", 10))
	const grid = "name: g\ndata: [{path: data/x.csv}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\n"
	for name, c := range map[string]struct{ old, wrong, says, right string }{
		"a number in quotes":    {"alpha: 0.1", `alpha: "0.1"`, "quotes make a text of it: write 0.1", "alpha: 0.1"},
		"in a list":             {"alpha: 0.1", `alpha: [1, '0.2']`, "alpha.1: \"0.2\" is not allowed; a number > 0 is; quotes make a text of it: write 0.2", "alpha: [1, 0.2]"},
		"of a range":            {"alpha: 0.1", `alpha: {from: "0.1", to: 1, num: 3}`, "quotes make a text of it: write 0.1", "alpha: {from: 0.1, to: 1, num: 3}"},
		"a whole number":        {"name: g", `repeats: "3"`, "quotes make a text of it: write 3", "repeats: 3"},
		"a truth value":         {"alpha: 0.1", `alpha: 0.1, intercept: 'true'`, "quotes make a text of it: write true", "alpha: 0.1, intercept: true"},
		"a decimal comma":       {"alpha: 0.1", `alpha: "0,1"`, "write 0.1", "alpha: 0.1"},
		"a tab at a key":        {"data:", "\tdata:", "grid.yaml:2: no YAML: found a tab character that violates indentation; indent with blanks, not with tabs", "data:"},
		"a tab at an entry":     {"data: [{path: data/x.csv}]", "data:\n\t- path: data/x.csv", "indent with blanks, not with tabs", "data:\n  - path: data/x.csv"},
		"Windows in quotes":     {"data/x.csv", `"C:\data\x.csv"`, "write paths in single quotes", "'data/x.csv'"},
		"Windows":               {"data/x.csv", `C:\data\x.csv`, "it is a path of Windows; write the path on this machine, with /", "data/x.csv"},
		"Windows with slashes":  {"data/x.csv", `D:/data/x.csv`, "it is a path of Windows", "data/x.csv"},
		"a relative one":        {"data/x.csv", `data\x.csv`, "it is a path of Windows; write the path on this machine, with /", "data/x.csv"},
		"escapes":               {"data/x.csv", `"C:\temp\new.csv"`, "single quotes take the path as it is", "'data/x.csv'"},
		"a URL":                 {"data/x.csv", "https://example.org/x.csv", "it is a URL; download the file and give its path", "data/x.csv"},
		"an object store":       {"data/x.csv", "s3://bucket/x.csv", "it is a URL", "data/x.csv"},
		"a variable":            {"data/x.csv", "'${HOME}/x.csv'", "variables are not replaced; write the path in full, or ~/ for your home folder", "~/x.csv"},
		"a variable as it is":   {"data/x.csv", "${HOME}/x.csv", "${...} is not replaced", "~/x.csv"},
		"a variable in short":   {"data/x.csv", "$HOME/x.csv", "variables are not replaced", "~/x.csv"},
		"another's home":        {"data/x.csv", "~you/x.csv", "of home folders only your own has a short form, ~/", "~/x.csv"},
		"models of other tasks": {"models: [", "models: [{svm: {c: 1}}, {logistic: {c: 1}}, ", "svm, logistic are models for classification", "models: ["},
		"methods that fit none": {"models: [{lasso: {alpha: 0.1}}]\nmethods: [original]", "models: [{ridge: {alpha: 1}}, {elastic-net: {alpha: 1}}]\nmethods: [gce, robust-svm]",
			"gce is a method for logistic, not for the models ridge, elastic-net", "models: [{lasso: {alpha: 0.1}}]\nmethods: [huber-lasso, sparse-lts]"},
	} {
		if !strings.Contains(grid, c.old) {
			t.Fatalf("%s: the grid does not have %q", name, c.old)
		}
		o := do(t, "plan", write(t, dir, "grid.yaml", strings.Replace(grid, c.old, c.wrong, 1)))
		if o.code != command.ExitRefused || !strings.Contains(o.err, c.says) {
			t.Errorf("%s: exit status %d, does not say %q: %s", name, o.code, c.says, o.err)
		}
		must(t, "plan", write(t, dir, "grid.yaml", strings.Replace(grid, c.old, c.right, 1)))
	}
	o := do(t, "plan", write(t, dir, "grid.yaml", "data: [{path: data/x.csv, target: z}, {path: data/y.csv}]\nmodels: [{ridge: {alpha: 1}}, {elastic-net: {alpha: 1}}]\nmethods: [gce, robust-svm]\n"))
	for _, word := range []string{`no column is named "z"`, "y.csv: no such file", "gce is a method for", "robust-svm is a method for"} {
		if !strings.Contains(o.err, word) {
			t.Errorf("not at once: %q in %s", word, o.err)
		}
	}
}

// TestGridRemediesOfKinds applies what messages about grids of solvers and of embeddings name.
func TestGridRemediesOfKinds(t *testing.T) {
	t.Parallel()
	const (
		solvers    = "experiment: solver-benchmark\ndata: [generated: {rows: 50, features: 3}]\ntasks: [huber]\nc: 1/n\nsolvers: [rehline]\n"
		embeddings = "experiment: embedding\ndata: [{path: texts.csv, language: english, length: 4, text: text, class: class}]\nmodels: [logistic]\npenalties: [none]\ntraining: {epochs: 2}\n"
	)
	dir := t.TempDir()
	write(t, dir, "texts.csv", "text,class\n"+strings.Repeat("cats purr,a\ndogs bark loudly,b\nboth sleep,a\nboth eat,b\n", 6))
	write(t, dir, "more/texts.csv", "text,class\n"+strings.Repeat("cats purr,b\ndogs bark loudly,a\nboth sleep,a\nboth eat,b\n", 6))
	write(t, dir, "gaps.csv", "a,b,y\n"+strings.Repeat("1,2,3\n2,,5\n4,5,7\n3,1,2\n", 6))
	for name, c := range map[string]struct {
		grid, old, wrong, says string
		right                  []string
	}{
		"a budget":      {solvers, "c: 1/n", "c: 1/n\nbudget: [1, 2]", "one number of seconds is", []string{"c: 1/n\nbudget: 1"}},
		"a task":        {solvers, "[huber]", "[svm: {x: 1}]", "settings; write the name alone", []string{"[svm]"}},
		"a factor":      {solvers, "c: 1/n", "c: 0", "a number > 0 is, or one divided by the rows, as in 100/n", []string{"c: 2", "c: 100/n"}},
		"rows":          {solvers, "rows: 50, ", "", "as in rows: [1000, 10000]", []string{"rows: [1000, 10000], "}},
		"features":      {solvers, ", features: 3", "", "as in features: 50", []string{", features: 50"}},
		"values":        {solvers, "generated: {rows: 50, features: 3}", "{path: gaps.csv, missing: median}", "missing: mean or drop in its entry", []string{"{path: gaps.csv, missing: mean}", "{path: gaps.csv, missing: drop}"}},
		"half the keys": {embeddings, ", class: class", "", "of the keys text and class one is missing", []string{", class: class"}},
		"two names": {embeddings, "class: class}", "class: class}, {path: more/texts.csv, language: english, length: 4, text: text, class: class}", "the name texts too; give one of them another name",
			[]string{"class: class}, {path: more/texts.csv, name: more, language: english, length: 4, text: text, class: class}"}},
	} {
		if !strings.Contains(c.grid, c.old) {
			t.Fatalf("%s: the grid does not have %q", name, c.old)
		}
		o := do(t, "plan", write(t, dir, "grid.yaml", strings.Replace(c.grid, c.old, c.wrong, 1)))
		if o.code != command.ExitRefused || !strings.Contains(o.err, c.says) {
			t.Errorf("%s: exit status %d, does not say %q: %s", name, o.code, c.says, o.err)
		}
		for _, right := range c.right {
			if o := do(t, "plan", write(t, dir, "grid.yaml", strings.Replace(c.grid, c.old, right, 1))); o.code != command.ExitDone {
				t.Errorf("%s: %q: %s", name, right, o.err)
			}
		}
	}
	texts := write(t, dir, "known.yaml", strings.Replace(embeddings, "{path: texts.csv, language: english, length: 4, text: text, class: class}", "ce-t1", 1))
	o := do(t, "plan", texts, "--cache", dir)
	if o.code != command.ExitRefused || !strings.Contains(o.err, "; --datasets DIR names one that has it") {
		t.Errorf("exit status %d: %s", o.code, o.err)
	}
	must(t, "plan", texts, "--cache", dir, "--datasets", needs.Datasets(t))
}
