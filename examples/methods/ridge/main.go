// Command ridge computes ridge regressions, as a method of agepath.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"gonum.org/v1/gonum/mat"
)

type request struct {
	Cell struct {
		ID    string
		Model struct {
			Name      string
			Alpha     float64
			Intercept bool
		}
	}
	Data struct {
		Path     string
		Features int
		Parts    []struct {
			Name         string
			Rows         int
			X, Y, Weight int64
		}
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	answers := json.NewEncoder(os.Stdout) // one per line
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answer := map[string]any{"cell": r.Cell.ID}
		if theta, err := r.fit(); err != nil {
			answer["error"] = err.Error()
		} else {
			answer["coefficients"] = [][]float64{theta}
		}
		if err := answers.Encode(answer); err != nil {
			os.Exit(1)
		}
	}
}

// fit minimizes Σ v_i r_i² + α‖w‖² over the training rows.
func (r *request) fit() ([]float64, error) {
	if model := r.Cell.Model; model.Name != "ridge" || model.Intercept {
		return nil, fmt.Errorf("this method is for ridge without intercept, not for %s", model.Name)
	}
	file, err := os.Open(r.Data.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read := func(at int64, n int) []float64 {
		numbers := make([]float64, n)
		if e := binary.Read(io.NewSectionReader(file, at, int64(8*n)), binary.LittleEndian, numbers); e != nil {
			err = e
		}
		return numbers
	}
	train, d := r.Data.Parts[0], r.Data.Features
	x := mat.NewDense(train.Rows, d, read(train.X, train.Rows*d))
	y := mat.NewVecDense(train.Rows, read(train.Y, train.Rows))
	v := mat.NewDiagDense(train.Rows, read(train.Weight, train.Rows))
	if err != nil {
		return nil, err
	}
	var weighted, gram mat.Dense
	weighted.Mul(v, x)
	gram.Mul(weighted.T(), x)
	for j := range d {
		gram.Set(j, j, gram.At(j, j)+r.Cell.Model.Alpha)
	}
	var moments, theta mat.VecDense
	moments.MulVec(weighted.T(), y)
	if err := theta.SolveVec(&gram, &moments); err != nil {
		return nil, err
	}
	return append(theta.RawVector().Data, 0), nil // no intercept
}
