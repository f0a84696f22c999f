package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results/analysis"
)

// answers are the tables of docs/querying.md by name: the values of a row by
// column.
type answers map[string][]map[string]any

// questions are the names of the tables with what tells their rows apart.
var questions = map[string][]string{
	"choice":  append(slices.Clone(askedBy), "repeat"),
	"best":    askedBy,
	"jumps":   {"dataset", "regularizer"},
	"slowest": {"cell"},
	"bias":    {"dataset", "method"},
}

// askedBy is what a choice is made within, and askedFor what is chosen.
var (
	askedBy  = []string{"dataset", "model", "kernel", "noise_kind", "noise_level", "regularizer", "method"}
	askedFor = []string{"regularizer_param", "kernel_gamma", "c", "alpha", "l1_ratio", "method_params"}
)

// queryRun is a run whose answers differ from row to row, with failed cells, and
// has the cells of handCells.
func queryRun() testrun.Tables {
	run := testrun.Quickstart(3)
	rows := run.Cells
	for i, row := range rows {
		row["best_validation"] = 0.3 + 0.1*math.Sin(float64(i))
	}
	rows = append(append(rows, handCells()...), classified(handCells())...)
	run.Cells = rows
	for i, row := range rows {
		row["wall_seconds"] = float64(i*37%len(rows)) + 0.25
		if row["method"] == "gaga" {
			row["turning_points"], row["jump_points"] = i%11, i%5
		}
		if i%29 == 7 && !strings.HasPrefix(fmt.Sprint(row["dataset"]), "by-hand") {
			row["status"] = "failed"
			for _, name := range []string{"metric", "test_at_best_test", "test_at_best_validation", "test_at_end", "best_validation", "turning_points", "jump_points"} {
				row[name] = nil
			}
		}
	}
	return run
}

// answer computes the tables from the rows themselves.
func answer(rows []testrun.Row) answers {
	type mean struct{ sum, n float64 }
	add := func(means map[[3]any]mean, key [3]any, x float64) {
		m := means[key]
		means[key] = mean{m.sum + x, m.n + 1}
	}
	turns, jumps, gaps := map[[3]any]mean{}, map[[3]any]mean{}, map[[3]any]mean{}
	value := func(row testrun.Row, name string) any {
		if x, ok := row[name]; ok {
			return x
		}
		return testrun.Cell(experiment.Column{Name: name})
	}
	a := answers{}
	for _, row := range rows {
		a["slowest"] = append(a["slowest"], map[string]any{"cell": row["cell"], "dataset": value(row, "dataset"), "method": row["method"], "wall_seconds": row["wall_seconds"]})
		if value(row, "status") != "ok" {
			continue
		}
		gap := row["test_at_best_validation"].(float64) - row["test_at_best_test"].(float64)
		if value(row, "metric") == "accuracy" {
			gap = -gap
		}
		add(gaps, [3]any{value(row, "dataset"), row["method"]}, gap)
		if row["method"] == "gaga" {
			key := [3]any{value(row, "dataset"), row["regularizer"]}
			add(turns, key, float64(row["turning_points"].(int)))
			add(jumps, key, float64(row["jump_points"].(int)))
		}
	}
	slices.SortFunc(a["slowest"], func(x, y map[string]any) int {
		return int(math.Copysign(1, y["wall_seconds"].(float64)-x["wall_seconds"].(float64)))
	})
	a["slowest"] = a["slowest"][:10]
	a["choice"], a["best"] = chosen(rows, "best_validation", value)
	for key, m := range jumps {
		a["jumps"] = append(a["jumps"], map[string]any{"dataset": key[0], "regularizer": key[1], "turning_points": turns[key].sum / turns[key].n, "jump_points": m.sum / m.n})
	}
	for key, m := range gaps {
		a["bias"] = append(a["bias"], map[string]any{"dataset": key[0], "method": key[1], "selection_bias": m.sum / m.n})
	}
	return a
}

// chosen returns the row with the best score of each method, setting and
// repeat, and the mean test score of these over the repeats. No two are equal.
func chosen(rows []testrun.Row, score string, value func(testrun.Row, string) any) (choice, best []map[string]any) {
	lowest := map[string]testrun.Row{}
	rank := func(row testrun.Row) float64 {
		if value(row, "metric") == "accuracy" {
			return -row[score].(float64)
		}
		return row[score].(float64)
	}
	for _, row := range rows {
		if value(row, "status") != "ok" {
			continue
		}
		key := ""
		for _, name := range append(slices.Clone(askedBy), "repeat") {
			key += fmt.Sprint(value(row, name), "|")
		}
		if have := lowest[key]; have == nil || rank(row) < rank(have) {
			lowest[key] = row
		}
	}
	samples := map[string][]float64{}
	first := map[string]map[string]any{}
	for _, row := range lowest {
		line, mean, key := map[string]any{}, map[string]any{}, ""
		for _, name := range askedBy {
			line[name], mean[name] = value(row, name), value(row, name)
			key += fmt.Sprint(line[name], "|")
		}
		for _, name := range append([]string{"repeat", "best_validation", "test_at_best_validation"}, askedFor...) {
			line[name] = value(row, name)
		}
		choice = append(choice, line)
		samples[key], first[key] = append(samples[key], row["test_at_best_validation"].(float64)), mean
	}
	for key, mean := range first {
		mean["test_at_best_validation"] = stat.Mean(samples[key], nil)
		best = append(best, mean)
	}
	return choice, best
}

// check compares answers, in any order of rows.
func (a answers) check(t *testing.T, got answers) {
	t.Helper()
	for name, key := range questions {
		place := func(row map[string]any) string {
			var parts []string
			for _, column := range key {
				parts = append(parts, plain(row[column]))
			}
			return strings.Join(parts, " ")
		}
		found := map[string]map[string]any{}
		for _, row := range got[name] {
			found[place(row)] = row
		}
		if len(got[name]) != len(a[name]) || len(a[name]) == 0 {
			t.Errorf("%s: %d rows, want %d", name, len(got[name]), len(a[name]))
		}
		for _, want := range a[name] {
			have := found[place(want)]
			for column, x := range want {
				same := plain(have[column]) == plain(x)
				if number, ok := x.(float64); ok {
					other, isNumber := have[column].(float64)
					same = isNumber && math.Abs(number-other) < 1e-12
				}
				if !same {
					t.Errorf("%s of %s: %s is %v, want %v", name, place(want), column, have[column], x)
				}
			}
		}
	}
}

// plain writes a value. Of a text that is null, CSV makes an empty one.
func plain(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// queryBlocks returns the code of docs/querying.md in a language.
func queryBlocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "querying.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for i, part := range strings.Split(string(text), "```") {
		if code, ok := strings.CutPrefix(part, language+"\n"); ok && i%2 == 1 {
			blocks = append(blocks, code)
		}
	}
	if len(blocks) == 0 {
		t.Fatalf("docs/querying.md has no %s", language)
	}
	return blocks
}

// runIn runs a program in a folder.
func runIn(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// jsonAnswers reads the tables that a program wrote.
func jsonAnswers(t *testing.T, path string) answers {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got answers
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, text)
	}
	return got
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// showTables writes the tables of a JavaScript block, and those of the SQL.
const showTables = `
import { DuckDBInstance } from '@duckdb/node-api'
pl.readIPC(fs.readFileSync('out/quickstart/knots.arrow')).writeParquet('knots.parquet')
const db = await (await DuckDBInstance.create(':memory:')).connect()
const sql = {}
for (const [name, query] of Object.entries(JSON.parse(fs.readFileSync('queries.json')))) {
  sql[name] = (await db.runAndReadAll(query)).getRowObjectsJson()
}
const js = { choice, best, jumps, slowest, bias }
for (const name in js) js[name] = js[name].toRecords()
cells.writeCSV('cells.csv')
fs.writeFileSync('js.json', JSON.stringify(js))
fs.writeFileSync('sql.json', JSON.stringify(sql))
`

// checkByHand wants the choices of handCells to be those worked out by hand, and
// the ranking by a test score to give others.
func checkByHand(t *testing.T, a answers) {
	t.Helper()
	for _, c := range handChoices {
		at := func(rows []map[string]any) map[string]any {
			i := slices.IndexFunc(rows, func(row map[string]any) bool {
				return row["dataset"] == "by-hand" && row["method"] == c.method && (row["repeat"] == nil || row["repeat"] == c.repeat)
			})
			if i < 0 {
				t.Fatalf("nothing of %s", c.method)
			}
			return rows[i]
		}
		if row := at(a["choice"]); row["alpha"] != c.alpha || row["test_at_best_validation"] != c.byValidation || plain(row["regularizer"]) != c.regularizer {
			t.Errorf("by hand %+v, not %v", c, row)
		}
		if row := at(a["best"]); math.Abs(row["test_at_best_validation"].(float64)-handMeans[c.method][0]) > 1e-12 {
			t.Errorf("by hand the mean is %v, not %v", handMeans[c.method][0], row)
		}
		byTest, _ := chosen(handCells(), "test_at_best_validation", func(row testrun.Row, name string) any {
			if name == "status" {
				return "ok"
			}
			if name == "metric" {
				return "rmse"
			}
			if x, ok := row[name]; ok {
				return x
			}
			return testrun.Cell(experiment.Column{Name: name})
		})
		if row := at(byTest); row["alpha"] == c.alpha {
			t.Errorf("%+v is chosen by the test score too", c)
		}
	}
}

// checkLead wants the first table of the run's report to hold the same means.
func checkLead(t *testing.T, dir string, best []map[string]any) {
	t.Helper()
	r := mustWrite(t, dir, Options{Figures: -1, Formats: Formats[1:2]})
	checked := 0
	for _, want := range best {
		table := r.Chosen[0] // accuracy
		if want["model"] == "lasso" {
			table = r.Chosen[1]
		}
		for i := range table.Rows {
			row := table.Rows[i]
			regularizer := plain(want["regularizer"])
			if row.Setting[selfpaced.DimDataset].Text != want["dataset"] || row.Setting[selfpaced.DimNoiseLevel].Number != want["noise_level"] ||
				regularizer != "" && row.Setting[selfpaced.DimRegularizer].Text != regularizer {
				continue
			}
			checked++
			j := slices.Index(table.Methods, want["method"].(string))
			if got := row.Entries[j].Summary[analysis.TestAtBestValidation].Mean; math.Abs(got-want["test_at_best_validation"].(float64)) > 1e-12 {
				t.Errorf("the report says %v of %v", got, want)
			}
		}
	}
	if checked < len(best) {
		t.Errorf("%d of %d answers are in the report", checked, len(best))
	}
}

// TestQuerying runs the examples of docs/querying.md on a run and compares their
// tables with those computed from its rows.
func TestQuerying(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	polars := needs.Polars(t, "../testdata/polars")
	run := queryRun()
	want := answer(run.Cells)
	checkByHand(t, want)
	work := t.TempDir()
	if err := os.MkdirAll(filepath.Join(work, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	dir := testrun.Write(t, run)
	checkLead(t, dir, want["best"])
	if err := os.Rename(dir, filepath.Join(work, "out", "quickstart")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(polars, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	queries := map[string]string{"paths": queryBlocks(t, "sql")[1]}
	named := regexp.MustCompile(`^-- (\w+)`)
	for statement := range strings.SplitSeq(queryBlocks(t, "sql")[0], ";") {
		if match := named.FindStringSubmatch(strings.TrimSpace(statement)); match != nil {
			if strings.Contains(statement, "CREATE VIEW choice") { // which the others need, and comes first in order
				queries["0 view"], statement = statement, "FROM choice"
			}
			queries[match[1]] = statement
		}
	}
	text, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(work, "queries.json"), string(text))
	writeText(t, filepath.Join(work, "query.mjs"), queryBlocks(t, "js")[0]+showTables)
	runIn(t, work, "node", "query.mjs")
	t.Run("polars", func(t *testing.T) { want.check(t, jsonAnswers(t, filepath.Join(work, "js.json"))) })
	t.Run("duckdb", func(t *testing.T) {
		got := jsonAnswers(t, filepath.Join(work, "sql.json"))
		want.check(t, got)
		// Two jumps on every path that appendPath makes.
		paths := 0
		for _, row := range run.Cells {
			if row["method"] == "gaga" && !strings.HasPrefix(fmt.Sprint(row["dataset"]), "by-hand") {
				paths++
			}
		}
		if len(got["paths"]) != 2*paths {
			t.Errorf("%d jumps, want %d", len(got["paths"]), 2*paths)
		}
	})
	t.Run("pandas", func(t *testing.T) {
		const python = "/usr/bin/python3" // Debian's, which has Debian's pandas
		if err := exec.CommandContext(t.Context(), python, "-c", "import pandas").Run(); err != nil {
			needs.Lacking(t, "pandas is not there: %v", err)
		}
		code := replaceOnce(t, queryBlocks(t, "python")[0], `pd.read_feather("out/quickstart/cells.arrow")`, `pd.read_csv("cells.csv")`)
		writeText(t, filepath.Join(work, "query.py"), code+`
import json
tables = dict(choice=choice, best=best, jumps=jumps, slowest=slowest, bias=bias)
json.dump({name: table.astype(object).where(table.notna(), None).to_dict("records") for name, table in tables.items()}, open("python.json", "w"))
`)
		runIn(t, work, python, "query.py")
		writeText(t, filepath.Join(work, "chosen.py"), queryBlocks(t, "python")[2]+"assert set(chosen.method) == {'original', 'acs', 'gaga'} and len(chosen) == len(chosen.drop_duplicates(list(chosen.columns[:29])))\n")
		runIn(t, work, python, "chosen.py")
		want.check(t, jsonAnswers(t, filepath.Join(work, "python.json")))
	})
	t.Run("python", func(t *testing.T) {
		python := needs.Program(t, "checking the syntax of examples", "python3")
		for i, code := range queryBlocks(t, "python") {
			name := fmt.Sprintf("block%d.py", i)
			writeText(t, filepath.Join(work, name), code)
			runIn(t, work, python, "-m", "py_compile", name)
		}
	})
	t.Run("R", func(t *testing.T) {
		needs.Program(t, "running examples in R", "Rscript")
		code := replaceOnce(t, queryBlocks(t, "r")[0], `as.data.frame(arrow::read_feather("out/quickstart/cells.arrow"))`, `read.csv("cells.csv", colClasses = c(cell = "character"), check.names = FALSE)`)
		writeText(t, filepath.Join(work, "query.R"), code+`
for (name in c("choice", "best", "jumps", "slowest", "bias")) {
  table <- get(name)
  write.csv(format(table, digits = 17), paste0("r-", name, ".csv"), row.names = FALSE)
}
`)
		runIn(t, work, "Rscript", "query.R")
		want.check(t, csvAnswers(t, work))
	})
}

func replaceOnce(t *testing.T, text, old, with string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("docs/querying.md does not say %s once", old)
	}
	return strings.Replace(text, old, with, 1)
}

// csvAnswers reads the tables that R wrote.
func csvAnswers(t *testing.T, work string) answers {
	t.Helper()
	got := answers{}
	for name := range questions {
		file, err := os.Open(filepath.Join(work, "r-"+name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(file).ReadAll()
		file.Close()
		if err != nil || len(lines) < 2 {
			t.Fatalf("%s: %d lines, %v", name, len(lines), err)
		}
		for _, line := range lines[1:] {
			row := map[string]any{}
			for j, column := range lines[0] {
				if row[column] = line[j]; strings.TrimSpace(line[j]) == "NA" {
					row[column] = nil
				}
				if x, err := strconv.ParseFloat(strings.TrimSpace(line[j]), 64); err == nil && column != "cell" {
					row[column] = x
				}
			}
			got[name] = append(got[name], row)
		}
	}
	return got
}
