package selfpaced

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

// TestQuickstart plans the first grid of a newcomer on what the program
// itself holds and wants it to show what the project does.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	g, err := experiment.ParseFile(filepath.Join("..", "..", "grids", "quickstart.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Count() < 200 {
		t.Errorf("%d cells, want at least 200", p.Count())
	}
	type what struct{ data, method, regularizer string }
	levels, strengths, seen := map[float64]bool{}, map[[2]any]bool{}, map[what]bool{}
	for cell := range cellsOf(p) {
		levels[cell.Settings.Noise.Level] = true
		strengths[[2]any{cell.Data.Name, cell.Model.C + cell.Model.Alpha}] = true
		seen[what{cell.Data.Name, cell.Method.Name, cell.Method.Regularizer.Name}] = true
	}
	if !levels[0] || !levels[0.3] || len(strengths) < 3*3 || g.Repeats < 3 || !g.Keep.Has("coefficients") {
		t.Errorf("noise levels %v, strengths %v, %d repeats, keep %+v", levels, strengths, g.Repeats, g.Keep)
	}
	for _, data := range []string{"diabetes", "breast_cancer", "digits"} {
		for _, want := range []what{{data, Original, ""}, {data, ACS, Mixture}, {data, GAGA, Mixture}} {
			if !seen[want] {
				t.Errorf("no cell of %v", want)
			}
		}
	}
	for _, want := range []what{{"diabetes", ACS, Linear}, {"diabetes", GAGA, Linear}, {"breast_cancer", ACS, Linear}, {"breast_cancer", GAGA, Linear}} {
		if !seen[want] {
			t.Errorf("no cell of %v", want)
		}
	}
}

// TestGridDocument parses the examples of docs/grid.md and wants it to name
// every key, and to list the settings of methods as they are declared.
func TestGridDocument(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "grid.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, path, "settings", settingsTable())
	checkTable(t, path, "noise", noiseTable())
	blocks := strings.Split(string(text), "```")
	examples := 0
	for i := 1; i < len(blocks); i += 2 {
		if example, ok := strings.CutPrefix(blocks[i], "yaml\n"); ok {
			examples++
			if _, err := experiment.Parse([]byte(example), "docs/grid.md", nil); err != nil {
				t.Errorf("example %d: %v", examples, err)
			}
		}
	}
	if examples < 3 {
		t.Errorf("%d examples found", examples)
	}
	words := slices.Concat(experiment.CommonKeys, []string{"sweeps", "keep", "select"}, sweepKeys, gridfile.NamesOf(modelTable), gridfile.NamesOf(regularizerTable), gridfile.NamesOf(methodTable),
		dataset.NoiseKinds(dataset.Regression), dataset.NoiseKinds(dataset.Classification))
	for _, word := range words {
		if !strings.Contains(string(text), "`"+word) && !strings.Contains(string(text), "{"+word+":") {
			t.Errorf("docs/grid.md does not name %s", word)
		}
	}
}

// TestGridsOfRobustMethods wants the grids of the paper's Tables 7 and 8 to ask
// for every method at every data set and noise level that the tables have.
func TestGridsOfRobustMethods(t *testing.T) {
	t.Parallel()
	for table, methods := range map[string][]string{
		"table07": {GAGA, HuberLasso, RLSSVM, ReLSSVM},
		"table08": {GAGA, RobustSVM},
	} {
		g, err := experiment.ParseFile(filepath.Join("..", "..", "grids", table+".yaml"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if g.Name != table || sectionOf(g).Select != experiment.SelectTest || g.Repeats != 20 {
			t.Errorf("%s: name %s, select %s, %d repeats", table, g.Name, sectionOf(g).Select, g.Repeats)
		}
		type what struct {
			data, method string
			level        float64
		}
		asked := map[what]bool{}
		for _, sweep := range sectionOf(g).Sweeps {
			for _, data := range sweep.Data {
				for _, method := range sweep.Methods {
					for _, noise := range sweep.Noise {
						asked[what{data.Name, method.Name, noise.Level}] = true
					}
				}
			}
		}
		for _, row := range publishedRows(t, table) {
			entry, known := dataset.Lookup(row["dataset"])
			level, err := strconv.ParseFloat(row["noise"], 64)
			if !known || err != nil {
				t.Fatalf("%s: row %v", table, row)
			}
			for _, method := range methods {
				if !asked[what{entry.Name, method, level}] {
					t.Errorf("%s: no cells of %s on %s with noise %g", table, method, entry.Name, level)
				}
			}
		}
	}
}

// publishedRows returns the rows of a published table by its columns.
func publishedRows(t *testing.T, table string) []map[string]string {
	t.Helper()
	file, err := os.Open(filepath.Join("published", "data", table+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%s: %d lines, %v", table, len(lines), err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for j, name := range lines[0] {
			row[name] = line[j]
		}
		rows = append(rows, row)
	}
	return rows
}

var update = flag.Bool("update", false, "write the tables of docs/grid.md and testdata/identities.txt")

// settingsTable is the table of settings in docs/grid.md.
func settingsTable() string {
	var want strings.Builder
	want.WriteString("| method | setting | default | allowed | meaning |\n| --- | --- | --- | --- | --- |\n")
	for _, m := range methodTable {
		for i := range m.settings {
			s := &m.settings[i]
			standard := s.Standard.Word
			if standard == "" {
				standard = fmt.Sprint(s.Standard.Number)
			}
			allowed := s.Want()
			if s.Single {
				allowed += ", no list"
			}
			if s.With != nil {
				allowed += "; with the regularizers " + strings.Join(s.With, ", ")
			}
			fmt.Fprintf(&want, "| `%s` | `%s` | %s | %s | %s |\n", m.name, s.Name, standard, allowed, s.Meaning)
		}
	}
	return want.String()
}

// noiseTable is the table of noise in docs/grid.md.
func noiseTable() string {
	var want strings.Builder
	want.WriteString("| kind | task | what |\n| --- | --- | --- |\n")
	for _, task := range []dataset.Task{dataset.Regression, dataset.Classification} {
		for _, kind := range dataset.NoiseKinds(task) {
			fmt.Fprintf(&want, "| `%s` | %s | %s |\n", kind, task, dataset.NoiseDoc(kind))
		}
	}
	return want.String()
}

// checkTable wants the document to have a table between its marks.
func checkTable(t *testing.T, path, name, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": go test ./experiment/selfpaced -run TestGridDocument -update -->\n", "<!-- end -->"
	before, rest, opened := strings.Cut(string(text), begin)
	have, after, closed := strings.Cut(rest, end)
	switch {
	case !opened || !closed:
		t.Fatalf("%s has no place for the table of %s", path, name)
	case have == want:
	case !*update:
		t.Errorf("the table of %s in %s is not that of the code; run go test ./experiment/selfpaced -run TestGridDocument -update", name, path)
	default:
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
