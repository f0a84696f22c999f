package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results"
)

// computedElsewhere copies the cells of a folder of results to another one with the given platform
// ("" for none) and a score changed by a factor.
func computedElsewhere(t *testing.T, from, platform string, factor float64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, results.CellsFile)
	frame, err := results.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	table := selfpaced.Tables().Cells()
	of := func(name string) *experiment.Vector {
		at := slices.IndexFunc(table.Columns, func(c experiment.Column) bool { return c.Name == name })
		return &frame.Batch.Columns[at]
	}
	platforms := of("platform")
	platforms.Null = make([]bool, frame.Rows())
	for row := range frame.Rows() {
		platforms.Texts[row], platforms.Null[row] = platform, platform == ""
		of("test_at_end").Floats[row] *= factor
	}
	run := frame.Metadata[results.MetadataRun]
	if err := results.WriteTable(path, table, run, &frame.Batch, results.ZSTD); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestElsewhere replays cells, and compares runs, of another architecture: numbers may differ by
// rounding there, and here they may not.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	must(t, "run", write(t, dir, "grid.yaml", smallGrid), "--out", out, "--figures", "0")
	cell := cellsOf(t, out)[0]
	here, other := experiment.Platform(), "linux/pdp11"
	if frame, err := results.ReadTable(filepath.Join(out, results.CellsFile), "platform"); err != nil || frame.At(0, 0) != here || !strings.HasPrefix(here, runtime.GOOS+"/"+runtime.GOARCH) {
		t.Errorf("the cells are of the platform %v, %v", frame.At(0, 0), err)
	}
	elsewhere := "computed on " + other + ", here " + here
	const within, beyond = 1 + 1e-11, 1 + 1e-6
	for name, c := range map[string]struct {
		platform       string
		factor         float64
		replay, errors string // what it prints
		compare        string
	}{
		"the same":                 {other, 1, "equal bit for bit\n", "", "all numbers are equal to rounding (1e-09); computed on " + other + ", the baseline on " + here},
		"elsewhere, rounding":      {other, within, "equal to rounding (1e-09); " + elsewhere + "\n", "", "all numbers are equal to rounding (1e-09); computed on " + other},
		"elsewhere, beyond":        {other, beyond, "", "by more than rounding (1e-09); " + elsewhere, "differ by more than rounding (1e-09); computed on " + other},
		"here, rounding":           {here, within, "", "differs from what is stored\n", ""},
		"another system":           {"plan9/" + strings.SplitN(here, "/", 2)[1], within, "", "differs from what is stored\n", ""},
		"not known, rounding":      {"", within, "", "differs from what is stored\n", ""},
		"of a compiler that fuses": {"linux/" + runtime.GOARCH + "/v9", within, "equal to rounding", "", "/v9, the baseline on "},
	} {
		changed := computedElsewhere(t, out, c.platform, c.factor)
		o := do(t, "replay", changed, cell)
		if !strings.Contains(o.out, c.replay) || !strings.Contains(o.err, c.errors) || (o.code != 0) != (c.errors != "") {
			t.Errorf("%s: replay ends with %d:\n%s%s", name, o.code, o.out, o.err)
		}
		text := strings.ReplaceAll(must(t, "compare", out, changed).out, "\n", " ")
		if has := strings.Contains(text, "computed on "); !strings.Contains(text, c.compare) || has != (c.compare != "") {
			t.Errorf("%s: compare says\n%s", name, text)
		}
	}
	object := conforms(t, "compare", must(t, "compare", out, computedElsewhere(t, out, other, 1), "--json").out)
	if have := at(t, object, "runs", 1, "platforms", 0); have != other {
		t.Errorf("the second run is of the platform %v", have)
	}
}
