package selfpaced

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// catalogLibrary makes data sets of the catalog's names, tasks and rows, the same
// numbers at every call.
type catalogLibrary struct{}

func (catalogLibrary) Load(_ context.Context, s dataset.Source) (*dataset.Dataset, error) {
	entry, known := dataset.Lookup(s.Name)
	if !known {
		return nil, fmt.Errorf("%w %q", dataset.ErrUnknown, s.Name)
	}
	d := &dataset.Dataset{
		Name: s.DatasetName(), Task: entry.Task, Features: []string{"a", "b"}, N: entry.Rows, D: 2,
	}
	sum := sha256.Sum256([]byte(d.Name))
	random := rand.New(rand.NewChaCha8(sum))
	for i := range d.N {
		d.X = append(d.X, random.Float64(), random.Float64())
		if y := random.Float64(); d.Task == dataset.Regression {
			d.Y = append(d.Y, y)
		} else {
			d.Y = append(d.Y, float64(2*(i%2)-1))
		}
	}
	return d, nil
}

// TestIdentitiesStay compares the names of runs and the identities of all cells of
// every shipped grid of the kind with those that earlier versions gave them: results on disk are
// found by them. The constant's cells, later than the others, have lines of their own. All algorithms count as version 1 here, as a change of a version is
// meant to change them. The test is not parallel, for it changes the table of methods.
func TestIdentitiesStay(t *testing.T) {
	for _, method := range methodTable {
		version := method.algorithm
		method.algorithm = 1
		defer func() { method.algorithm = version }()
	}
	var got strings.Builder
	for _, pattern := range []string{"*.yaml", filepath.Join("honest", "*.yaml"), filepath.Join("scripts", "*.yaml")} {
		paths, err := filepath.Glob(filepath.Join("..", "..", "grids", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no grids %s found: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "\nexperiment: ") { // another kind's, which this package does not know
				continue
			}
			grid, err := experiment.Parse(text, path, nil)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := grid.Plan(t.Context(), catalogLibrary{})
			if err != nil {
				t.Fatal(err)
			}
			hash, constants := sha256.New(), sha256.New()
			var others, apart int64
			for cell := range plan.Cells() {
				into, count := hash, &others
				if cell.(*plannedCell).Method.Name == Constant {
					into, count = constants, &apart
				}
				fmt.Fprintln(into, experiment.Identity(cell.Canonical()))
				*count++
			}
			if others+apart != plan.Count() {
				t.Errorf("%s: %d cells, the plan counts %d", path, others+apart, plan.Count())
			}
			name, _ := filepath.Rel(filepath.Join("..", "..", "grids"), path)
			fmt.Fprintf(&got, "%s %s %d %x\n", filepath.ToSlash(name), plan.Run, others, hash.Sum(nil)[:16])
			fmt.Fprintf(&got, "%s constant %d %x\n", filepath.ToSlash(name), apart, constants.Sum(nil)[:16])
		}
	}
	path := filepath.Join("testdata", "identities.txt")
	want, err := os.ReadFile(path)
	if *update {
		err = os.WriteFile(path, []byte(got.String()), 0o644)
	} else if string(want) != got.String() {
		t.Errorf("grid, run, cells and a hash of their identities are\n%s, want\n%s", got.String(), want)
	}
	if err != nil {
		t.Error(err)
	}
}
