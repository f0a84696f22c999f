package report

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
)

// FuzzManifest reads folders with any manifest beside intact tables: verify, report and crate.
func FuzzManifest(f *testing.F) {
	run := testrun.Quickstart(1)
	run.Cells, run.Knots, run.Coefficients = run.Cells[:6], experiment.Batch{}, experiment.Batch{}
	dir := testrun.Write(f, run)
	path := filepath.Join(dir, results.ManifestName)
	m := &results.Manifest{
		Name: "quick", Run: "test", Kind: selfpaced.Name, Grid: "data: [{name: diabetes}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\n",
		Versions: map[string]string{"agepath": "v1"}, Data: map[string]string{"diabetes": "12ab"}, Cells: 6,
		Counts: map[experiment.Status]int{experiment.OK: 6}, Tables: results.ManifestTables(selfpaced.Tables()), Files: map[string]string{"m.py": "34cd"},
		Absent:   []results.ManifestData{{Name: "music", Task: "regression", Rows: 1059, Features: 68}},
		Readings: []results.ManifestReading{{Name: "diabetes", How: "csv", Warnings: []string{"w"}, Lines: []int{3}, Features: []string{"age"}}},
		Places:   results.ManifestPlaces{Grid: results.ManifestPlace{Path: "/g.yaml"}, Data: []results.ManifestDataPlace{{Name: "diabetes", Digest: "12ab"}}},
		Select:   experiment.Select("validation"),
	}
	if err := results.WriteManifest(dir, m); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	m.Tables, m.Grid, m.Counts, m.Cells = nil, "", map[experiment.Status]int{"ok": -1, "x": math.MaxInt}, math.MinInt64
	small, err := json.Marshal(m)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Add([]byte(`{"schema_version": 14, "kind": "solver-benchmark", "tables": [{"name": "../cells"}, {"columns": [{}]}], "select": "x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := results.ReadManifest(dir)
		v, verr := results.Verify(t.Context(), dir)
		if (err == nil) != (verr == nil) {
			t.Fatalf("read: %v; verified: %v", err, verr)
		}
		_, _ = Load(t.Context(), dir, Options{Figures: -1})
		_ = results.WriteCrate(t.Context(), dir, results.CrateOptions{})
		if err != nil {
			return
		}
		if v.Cells != 6 && len(v.Problems) == 0 {
			t.Fatalf("%d cells of 6, and no problem", v.Cells)
		}
		// What is read is written and read again as the same.
		if err := results.WriteManifest(dir, m); err != nil {
			t.Fatal(err)
		}
		again, err := results.ReadManifest(dir)
		if err != nil || again.Name != m.Name || again.Cells != m.Cells || len(again.Tables) != len(m.Tables) {
			t.Fatalf("%+v, %v; was %+v", again, err, m)
		}
	})
}
