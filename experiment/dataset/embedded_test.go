package dataset

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestEmbedded compares with sums that scikit-learn 1.2.1 and numpy give for
// load_breast_cancer(), load_diabetes(scaled=False) and load_digits(), where
// column and row count from 1 and 0: sum of X, of X times column, of the
// target, of the target times row. The targets of the classification sets are
// the indicators of benign and of a digit above 4.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name              string
		task              Task
		n, d              int
		x, columns, y, yr float64
		first, last       string
	}{
		{"breast_cancer", Classification, 569, 30, 1056474.4596356, 15997027.559157101, 357, 114204, "mean radius", "worst fractal dimension"},
		{"diabetes", Regression, 442, 10, 276404.2336, 1539469.2523999999, 67243, 15087273, "age", "s6"},
		{"digits", Classification, 1797, 64, 561718, 18222371, 896, 1796*1797/2 - 807651, "pixel_0_0", "pixel_7_7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := new(Library).Load(t.Context(), Source{Name: c.name})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.validate(); err != nil {
				t.Fatal(err)
			}
			if d.Name != c.name || d.Task != c.task || d.N != c.n || d.D != c.d {
				t.Errorf("%s, %s, %d x %d", d.Name, d.Task, d.N, d.D)
			}
			if d.Features[0] != c.first || d.Features[d.D-1] != c.last {
				t.Errorf("features from %q to %q", d.Features[0], d.Features[d.D-1])
			}
			var x, columns, y, yr float64
			for i, v := range d.X {
				x += v
				columns += v * float64(i%d.D+1)
			}
			for i, v := range d.Y {
				if d.Task == Classification {
					v = (v + 1) / 2
				}
				y += v
				yr += v * float64(i)
			}
			for _, pair := range [][2]float64{{x, c.x}, {columns, c.columns}, {y, c.y}, {yr, c.yr}} {
				if math.Abs(pair[0]-pair[1]) > 1e-11*pair[1] {
					t.Errorf("sum %v, want %v", pair[0], pair[1])
				}
			}
		})
	}
}

// embeddedNames are the data sets that need no file.
var embeddedNames = []string{"breast_cancer", "diabetes", "digits"}

func TestEmbeddedFilesAreSmallAndDescribed(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("data", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := embeddedFiles.ReadDir("data")
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
		if !strings.Contains(string(readme), file.Name()) {
			t.Errorf("%s is not in the README", file.Name())
		}
	}
	if size > 300_000 {
		t.Errorf("%d bytes, more than 300 kB", size)
	}
}

func TestEmbeddedAreTheSharedOnes(t *testing.T) {
	t.Parallel()
	dir := needs.Datasets(t)
	for name, c := range map[string]struct {
		file string
		o    Options
	}{
		"breast_cancer": {"breast_cancer/breast_cancer.csv", Options{Skip: 1}},
		"digits":        {"digits/digits.csv.gz", Options{Classes: Classes{Positive: []string{"5", "6", "7", "8", "9"}}}},
	} {
		d, err := readFile(context.Background(), filepath.Join(dir, filepath.FromSlash(c.file)), c.o, 0)
		if err != nil {
			t.Fatal(err)
		}
		embedded, err := new(Library).Load(t.Context(), Source{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if d.Digest() != embedded.Digest() {
			t.Errorf("%s differs from %s", name, c.file)
		}
	}
}
