package convex

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/testing/needs"
)

// svmData reads a data set of the peers' measurements: a random 75 % of the
// rows, at most rows, standardised on all of them.
func svmData(tb testing.TB, name string, rows int) (blas64.General, []float64) {
	tb.Helper()
	file, header, positive := "digits/digits.csv.gz", false, func(v float64) bool { return v >= 5 }
	if name == "breast_cancer" {
		file, header, positive = "breast_cancer/breast_cancer.csv", true, func(v float64) bool { return v == 1 }
	}
	f, err := os.Open(filepath.Join(needs.Datasets(tb), file))
	if err != nil {
		needs.Lacking(tb, "%v", err)
	}
	defer f.Close()
	var reader io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if reader, err = gzip.NewReader(f); err != nil {
			tb.Fatal(err)
		}
	}
	var data [][]float64
	for scanner := bufio.NewScanner(reader); scanner.Scan(); header = false {
		if header {
			continue
		}
		var row []float64
		for field := range strings.SplitSeq(scanner.Text(), ",") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				tb.Fatal(err)
			}
			row = append(row, v)
		}
		data = append(data, row)
	}
	n, d := len(data), len(data[0])-1
	for j := range d {
		mean, square := 0.0, 0.0
		for _, row := range data {
			mean += row[j] / float64(n)
		}
		for _, row := range data {
			square += (row[j] - mean) * (row[j] - mean) / float64(n)
		}
		for _, row := range data {
			row[j] -= mean
			if square > 0 {
				row[j] /= math.Sqrt(square)
			}
		}
	}
	m := min(rows, n*3/4)
	x := blas64.General{Rows: m, Cols: d, Stride: d, Data: make([]float64, 0, m*d)}
	y := make([]float64, m)
	for i, from := range rand.New(rand.NewPCG(1, 2)).Perm(n)[:m] {
		x.Data = append(x.Data, data[from][:d]...)
		y[i] = -1
		if positive(data[from][d]) {
			y[i] = 1
		}
	}
	return x, y
}

type svmCase struct {
	data string
	rows int
}

func (c svmCase) name() string { return fmt.Sprintf("%s-%d", c.data, c.rows) }

func (c svmCase) svm(tb testing.TB) *SVM {
	x, y := svmData(tb, c.data, c.rows)
	return NewSVM(x, y, 1, RBF{Gamma: gammaScale(x)}, true, SVMOptions{})
}

// gammaScale is 1/(d·var(x)), scikit-learn's "scale".
func gammaScale(x blas64.General) float64 {
	mean, square := 0.0, 0.0
	for _, v := range x.Data {
		mean += v / float64(len(x.Data))
	}
	for _, v := range x.Data {
		square += (v - mean) * (v - mean) / float64(len(x.Data))
	}
	return 1 / (float64(x.Cols) * square)
}

var svmCases = []svmCase{
	{"breast_cancer", 426}, {"digits", 1000}, {"digits", 1347},
}

// BenchmarkSVMCold times the set-up and the first solution, all weights 1.
func BenchmarkSVMCold(b *testing.B) {
	for _, c := range svmCases {
		b.Run(c.name(), func(b *testing.B) {
			first := c.svm(b)
			ones := make([]float64, len(first.y))
			for i := range ones {
				ones[i] = 1
			}
			var iterations int
			for b.Loop() {
				b.StopTimer()
				s := c.svm(b)
				b.StartTimer()
				certificate, err := s.Solve(context.Background(), ones)
				if err != nil {
					b.Fatal(err)
				}
				iterations = certificate.Iterations
			}
			b.ReportMetric(float64(iterations), "updates")
		})
	}
}

// BenchmarkSVMWarm times one fit of alternate convex search along growing ages
// with the linear regularizer: v_i = max(0, 1 - l_i/λ), from λ = 0.1 to 20.
func BenchmarkSVMWarm(b *testing.B) {
	for _, c := range svmCases {
		b.Run(c.name(), func(b *testing.B) {
			s := c.svm(b)
			n := len(s.y)
			weights, scores := make([]float64, n), make([]float64, n)
			ctx := context.Background()
			iterations, fits := 0, 0
			alternate := func(age float64) {
				s.Scores(scores)
				for i, u := range scores {
					weights[i] = math.Max(0, 1-s.c*math.Max(0, 1-s.y[i]*u)/age)
				}
				certificate, err := s.Solve(ctx, weights)
				if err != nil {
					b.Fatal(err)
				}
				iterations += certificate.Iterations
				fits++
			}
			alternate(math.Inf(1))
			for b.Loop() {
				const perAge, step, last = 10, 0.1, 20
				age := 0.1 + step*float64(fits/perAge%int(last/step))
				alternate(age)
			}
			b.ReportMetric(float64(iterations)/float64(fits), "updates/fit")
		})
	}
}
