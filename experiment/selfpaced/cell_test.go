package selfpaced

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
)

// goldenCells are cells with the identities that they have had since their
// algorithm's version. A change here means that stored results are computed anew:
// raise the method's algorithm instead where that is what is meant.
var goldenCells = []struct {
	cell      Cell
	canonical string
	id        string
}{
	{
		Cell{
			Data: CellData{Digest: "d1", Task: dataset.Regression, Name: "any"},
			Settings: dataset.Settings{
				Split:    dataset.Split{Train: 3, Test: 1, Validation: 0.2},
				Features: dataset.Standard, Target: dataset.MinMax, Protocol: dataset.HeldOut,
				Noise: dataset.Noise{Kind: dataset.Gaussian, Level: 0.3},
			},
			Model:  Model{Name: Lasso, Alpha: 1e-7},
			Method: Method{Name: ACS, Algorithm: 9, Regularizer: Regularizer{Mixture, 0.5}, Age: Age{Min: 0.1, Max: 20, Step: 0.5}},
			Repeat: 3, Seed: experiment.CellSeed(40, 3),
		},
		`{"kind":"self-paced","data":"d1","task":"regression","settings":{"train":3,"test":1,"validation":0.2,"features":"standard","target":"minmax","noise":"gaussian","level":0.3},"model":{"name":"lasso","alpha":1e-7,"intercept":false},"method":{"name":"acs","algorithm":9,"regularizer":{"name":"mixture","param":0.5},"age":{"min":0.1,"max":20,"step":0.5}},"seed":2781509293480823}`,
		"0abf35fdd0cb0dafe179843620e71bc8",
	},
	{
		Cell{
			Data: CellData{Digest: "d2", Task: dataset.Classification},
			Settings: dataset.Settings{
				Split: dataset.Split{Train: 3, Test: 1}, Features: dataset.Standard, Protocol: dataset.Paper,
			},
			Model:  Model{Name: SVM, C: 10, Kernel: RBF, KernelGamma: ScaleGamma, Intercept: true},
			Method: Method{Name: Original, Algorithm: 7},
			Repeat: 1, Seed: experiment.CellSeed(40, 1),
		},
		`{"kind":"self-paced","data":"d2","task":"classification","settings":{"paper":true,"train":3,"test":1,"features":"standard"},"model":{"name":"svm","c":10,"kernel":"rbf","intercept":true},"method":{"name":"original","algorithm":7},"seed":3212160745590989}`,
		"e18ae5bba551d409ce3e2505a09656c5",
	},
	{
		Cell{
			Data: CellData{Digest: "d1", Task: dataset.Regression},
			Settings: dataset.Settings{
				Split: dataset.Split{Train: 3, Test: 1}, Features: dataset.Standard, Target: dataset.MinMax,
				Protocol: dataset.HeldOut,
			},
			Model:  Model{Name: Lasso, Alpha: 0.003, Intercept: true},
			Method: Method{Name: GAGA, Algorithm: 30, Regularizer: Regularizer{Name: Hard}, Age: Age{Min: 0.1, Max: 20}},
			Repeat: 1, Seed: experiment.CellSeed(40, 1),
		},
		`{"kind":"self-paced","data":"d1","task":"regression","settings":{"train":3,"test":1,"features":"standard","target":"minmax"},"model":{"name":"lasso","alpha":0.003,"intercept":true},"method":{"name":"gaga","algorithm":30,"regularizer":{"name":"hard"},"age":{"min":0.1,"max":20}},"seed":3212160745590989}`,
		"a4f8d62bb47eec2267ebfcf05552542d",
	},
	{
		Cell{
			Data: CellData{Digest: "d1", Task: dataset.Regression},
			Settings: dataset.Settings{
				Split: dataset.Split{Train: 19, Test: 1}, Features: dataset.Standard, Target: dataset.MinMax,
				Protocol: dataset.Scripts,
			},
			Model:  Model{Name: Lasso, Alpha: 0.006},
			Method: Method{Name: ACS, Algorithm: 9, Regularizer: Regularizer{Name: Linear}, Age: Age{Min: 0.11, Max: 10, Step: 0.6}},
			Repeat: 1, Seed: experiment.CellSeed(40, 1),
		},
		`{"kind":"self-paced","data":"d1","task":"regression","settings":{"protocol":"scripts","train":19,"test":1,"features":"standard","target":"minmax"},"model":{"name":"lasso","alpha":0.006,"intercept":false},"method":{"name":"acs","algorithm":9,"regularizer":{"name":"linear"},"age":{"min":0.11,"max":10,"step":0.6}},"seed":3212160745590989}`,
		"1715f625ef49b047bf755e930ec4f1e6",
	},
	{
		Cell{
			Data: CellData{Digest: "d2", Task: dataset.Classification},
			Settings: dataset.Settings{
				Split: dataset.Split{Train: 3, Test: 1}, Features: dataset.Standard, Protocol: dataset.HeldOut,
				Noise: dataset.Noise{Kind: dataset.FlipBoundary, Level: 0.3},
			},
			Model:  Model{Name: Logistic, C: 0.5, Intercept: true},
			Method: Method{Name: Original, Algorithm: 7},
			Repeat: 1, Seed: experiment.CellSeed(40, 1),
		},
		`{"kind":"self-paced","data":"d2","task":"classification","settings":{"train":3,"test":1,"features":"standard","noise":"flip-boundary","level":0.3,"noise_version":2},"model":{"name":"logistic","c":0.5,"intercept":true},"method":{"name":"original","algorithm":7},"seed":3212160745590989}`,
		"c86001bb9b192ffab1105b24e4d2daab",
	},
}

func TestGoldenIdentities(t *testing.T) {
	t.Parallel()
	for i, golden := range goldenCells {
		if got := string(golden.cell.Canonical()); got != golden.canonical {
			t.Errorf("cell %d: the canonical form is\n%s\nwant\n%s", i, got, golden.canonical)
		}
		if got := golden.cell.ID(); got != golden.id {
			t.Errorf("cell %d: the identity is %s, want %s", i, got, golden.id)
		}
	}
}

func TestDecodeCell(t *testing.T) {
	t.Parallel()
	for i, golden := range goldenCells {
		want := golden.cell
		want.Repeat, want.Data.Name = 0, ""
		got, err := DecodeCell(want.Canonical())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*got, want) || got.ID() != golden.id {
			t.Errorf("cell %d: got %+v, want %+v", i, *got, want)
		}
	}
	flips := string(goldenCells[len(goldenCells)-1].cell.Canonical())
	if _, err := DecodeCell([]byte(strings.Replace(flips, `,"noise_version":2`, ``, 1))); err == nil ||
		!strings.Contains(err.Error(), "it asks for version 1 of noise: flip-boundary, this agepath computes version 2") {
		t.Errorf("flips of version 1: %v", err)
	}
	spec := string(goldenCells[0].cell.Canonical())
	for _, test := range []struct{ old, new, says string }{
		{`"kind":"self-paced"`, `"kind":"mmd"`, `its kind is "mmd"`},
		{`"algorithm":9`, `"algorithm":10`, "it asks for version 10 of acs, this agepath computes version 9"},
		{`"name":"acs"`, `"name":"magic"`, `it asks for method "magic", which this agepath does not compute`},
		{`"name":"lasso"`, `"name":"tree"`, `it asks for model "tree", which`},
		{`"name":"mixture"`, `"name":"soft"`, `it asks for regularizer "soft", which`},
		{`"regularizer":{"name":"mixture","param":0.5},`, ``, `it names no regularizer`},
		{`"alpha"`, `"beta"`, `it asks for parameter "beta", which this agepath does not compute`},
		{`"model":{"name":"lasso","alpha":1e-7,"intercept":false},`, ``, "it lacks the model"},
		{`"model":{"name":"lasso","alpha":1e-7,"intercept":false}`, `"model":null`, "it lacks the model"},
		{`"settings":{`, `"settings":{"paper":true,"protocol":"scripts",`, `its protocol is "scripts", paper true`},
		{`}`, `} 1`, "more than one JSON value"},
		{spec, ``, "decoding a cell"},
	} {
		j := strings.LastIndex(spec, test.old)
		if _, err := DecodeCell([]byte(spec[:j] + test.new + spec[j+len(test.old):])); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s for %s: got %v, want %s", test.new, test.old, err, test.says)
		}
	}
}

func FuzzDecodeCell(f *testing.F) {
	for _, golden := range goldenCells {
		f.Add(golden.cell.Canonical())
	}
	f.Fuzz(func(t *testing.T, spec []byte) {
		cell, err := DecodeCell(spec)
		if err != nil {
			return
		}
		again, err := DecodeCell(cell.Canonical())
		if err != nil || !reflect.DeepEqual(cell, again) {
			t.Errorf("%+v comes back as %+v, %v", cell, again, err)
		}
	})
}

func TestStreams(t *testing.T) {
	t.Parallel()
	draw := func(random *rand.Rand) []uint64 {
		values := make([]uint64, 4)
		for i := range values {
			values[i] = random.Uint64()
		}
		return values
	}
	a, b := &Cell{Seed: experiment.CellSeed(40, 1)}, &Cell{Seed: experiment.CellSeed(40, 2)}
	other := &Cell{Seed: experiment.CellSeed(40, 1), Model: Model{Name: Lasso}, Method: Method{Name: ACS}}
	split := draw(a.Stream("split"))
	if !slices.Equal(split, draw(a.Stream("split"))) || !slices.Equal(split, draw(other.Stream("split"))) {
		t.Error("a stream depends on more than seed and purpose")
	}
	golden := []uint64{10607371607464859894, 17963237040052187876, 12425686088405158853, 18000719397801328024}
	if !slices.Equal(split, golden) {
		t.Errorf("the stream starts with %d, want %d", split, golden)
	}
	// Streams that differ in seed or purpose share no number, and their bits
	// agree half of the time: 16,384 coins within 5 standard deviations.
	for _, pair := range [][2]*rand.Rand{
		{a.Stream("split"), a.Stream("noise")},
		{a.Stream("split"), b.Stream("split")},
		{a.Stream(""), a.Stream("\x00")},
	} {
		agree := 0
		for range 256 {
			x := ^(pair[0].Uint64() ^ pair[1].Uint64())
			for ; x != 0; x &= x - 1 {
				agree++
			}
		}
		if agree < 8192-320 || agree > 8192+320 {
			t.Errorf("two streams agree in %d of 16,384 bits", agree)
		}
	}
}

func TestCellSeeds(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	for _, seed := range []int64{-1, 0, 1, 40} {
		for repeat := 1; repeat <= 1000; repeat++ {
			s := experiment.CellSeed(seed, repeat)
			if s < 0 || s >= 1<<53 || s != int64(float64(s)) || seen[s] {
				t.Fatalf("seed %d of repeat %d of %d is out of range or taken", s, repeat, seed)
			}
			seen[s] = true
		}
	}
}

func TestTablesAreConsistent(t *testing.T) {
	t.Parallel()
	tables := Tables()
	for _, table := range append(tables.Further, tables.Cells()) {
		seen := map[string]bool{}
		for _, column := range table.Columns {
			if column.Doc == "" || seen[column.Name] {
				t.Errorf("table %s: column %s has no doc or comes twice", table.Name, column.Name)
			}
			seen[column.Name] = true
		}
		if !seen["cell"] {
			t.Errorf("table %s has no column cell", table.Name)
		}
	}
}
