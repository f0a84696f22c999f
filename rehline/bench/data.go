package main

import (
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/rehline"
)

// set is a data set in the RHLB format of gendata.py.
type set struct {
	x                     blas64.General
	class, value, private []float64
}

func readSet(file string) (*set, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(raw) < 24 || string(raw[:4]) != "RHLB" {
		return nil, fmt.Errorf("%s: not an RHLB file", file)
	}
	n, d := int(binary.LittleEndian.Uint64(raw[8:])), int(binary.LittleEndian.Uint64(raw[16:]))
	raw = raw[24:]
	if len(raw) != 8*(n*d+3*n) {
		return nil, fmt.Errorf("%s: %d bytes for %d x %d", file, len(raw), n, d)
	}
	take := func(count int) []float64 {
		v := make([]float64, count)
		for i := range v {
			v[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		}
		raw = raw[8*count:]
		return v
	}
	s := &set{x: blas64.General{Rows: n, Cols: d, Stride: d, Data: take(n * d)}}
	s.class, s.value, s.private = take(n), take(n), take(n)
	return s, nil
}

// row is a line of peers.csv.
type row struct {
	data, task, regime      string
	c, best, peer, peerPass float64
}

func readRows(file string) ([]row, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, l := range lines[1:] {
		r := row{data: l[0], task: l[3], regime: l[4]}
		for field, to := range map[int]*float64{5: &r.c, 6: &r.best, 7: &r.peer, 8: &r.peerPass} {
			if *to, err = strconv.ParseFloat(l[field], 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, i+2, err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// problem returns the problem of a row, as README.md of the benchmark defines
// it. The costs there are rounded; c = 1/n, 100/n and 1 are exact.
func (r *row) problem(folder string) (rehline.Problem, error) {
	s, err := readSet(filepath.Join(folder, r.data+".bin"))
	if err != nil {
		return rehline.Problem{}, err
	}
	n := float64(s.x.Rows)
	p := rehline.Problem{X: s.x, C: map[string]float64{"C1": 1 / n, "C100": 100 / n, "c1": 1}[r.regime]}
	switch r.task {
	case "svm", "fairsvm":
		p.Loss = rehline.Hinge(s.class)
	case "ssvm":
		p.Loss = rehline.SmoothedHinge(s.class)
	case "sqsvm":
		p.Loss = rehline.SquaredHinge(s.class)
	case "qr":
		p.Loss = rehline.Quantile(s.value, 0.5)
	case "qr25":
		p.Loss = rehline.Quantile(s.value, 0.25)
		p.Intercept = rehline.PenalizedIntercept
	case "huber":
		p.Loss = rehline.Huber(s.value, 1.0)
	default:
		return p, fmt.Errorf("unknown task %q", r.task)
	}
	if r.task == "fairsvm" {
		private := blas64.General{Rows: s.x.Rows, Cols: 1, Stride: 1, Data: s.private}
		p.Constraints = rehline.Fairness(s.x, private, 0.01)
	}
	return p, nil
}
