// Package published holds the tables of experiments of the GAGA paper, for comparison:
//
//	Xingyu Qu, Diyang Li, Xiaohan Zhao, Bin Gu: GAGA: Deciphering Age-path of
//	Generalized Self-paced Regularizer. NeurIPS 2022.
//
// The numbers are means and standard deviations over [Runs] runs, accuracy of classification and
// root mean squared error of regression, at the age with the best test score. Apparent errors are
// kept, and described in [Row.Note].
package published

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
)

//go:embed data/*.csv
var files embed.FS

// Table is one published table.
type Table struct {
	Number      int
	Title       string
	Regularizer string // linear or mixture
	Rows        []Row
}

// Name returns the table's name in grids: table09.
func (t *Table) Name() string { return fmt.Sprintf("table%02d", t.Number) }

// Row is one row of a table, "" or NaN where it states nothing.
type Row struct {
	Dataset      string // the paper's name, an alias in the catalog
	Model        string // lasso, svm or logistic
	Kernel       string // linear or rbf
	Noise        float64
	C, Alpha     float64
	KernelGamma  float64
	MixtureGamma float64 // of the mixture regularizer
	Scores       []Score // in the order of the columns
	Note         string  // a peculiarity; a test checks each against the other tables
}

// Score is a method's result.
type Score struct {
	Method    string // as in grids
	Mean, Std float64
}

// info is from a table's caption and text.
type info struct {
	number      int
	title       string
	regularizer string
	model       string // "": svm if C is given, otherwise lasso
	kernel      string // of svm
}

var infos = []info{
	{2, "Performance with the linear regularizer", "linear", "", "rbf"},
	{3, "Performance with the mixture regularizer", "mixture", "", "rbf"},
	{5, "Performance of logistic regression with the linear regularizer", "linear", "logistic", ""},
	{6, "Performance of logistic regression with the mixture regularizer", "mixture", "logistic", ""},
	{7, "Lasso against robust regression", "linear", "lasso", ""},
	{8, "Support vector machine against the robust one", "linear", "svm", ""},
	{9, "Sensitivity to α: ailerons", "linear", "lasso", ""},
	{10, "Sensitivity to α: music", "linear", "lasso", ""},
	{11, "Sensitivity to C: mfeat-pixel", "linear", "svm", "linear"},
	{12, "Sensitivity to C: pendigits", "linear", "svm", "linear"},
	{13, "Sensitivity to noise: ailerons", "linear", "lasso", ""},
	{14, "Sensitivity to noise: music", "linear", "lasso", ""},
	{15, "Sensitivity to noise: mfeat-pixel", "linear", "svm", "linear"},
	{16, "Sensitivity to noise: pendigits", "linear", "svm", "linear"},
}

// methodNames are columns with other names than in grids.
var methodNames = map[string]string{"huber": "huber-lasso", "robust_svm": "robust-svm"}

// Tables returns every table by number.
func Tables() ([]*Table, error) {
	var tables []*Table
	for _, i := range infos {
		table, err := i.read()
		if err != nil {
			return nil, fmt.Errorf("published table %d: %w", i.number, err)
		}
		tables = append(tables, table)
	}
	return tables, nil
}

func (i info) read() (*Table, error) {
	t := &Table{Number: i.number, Title: i.title, Regularizer: i.regularizer}
	data, err := files.ReadFile(path.Join("data", t.Name()+".csv"))
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	for n, line := range lines[1:] {
		row, err := i.row(lines[0], line)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", n+1, err)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// row leaves out the competitors' own parameters and GAGA's restarts.
func (i info) row(head, line []string) (Row, error) {
	nan := math.NaN()
	r := Row{Model: i.model, Noise: nan, C: nan, Alpha: nan, KernelGamma: nan, MixtureGamma: nan}
	numbers := map[string]*float64{
		"noise": &r.Noise, "c": &r.C, "alpha": &r.Alpha, "kernel_gamma": &r.KernelGamma, "mixture_gamma": &r.MixtureGamma,
	}
	for j, name := range head {
		switch name {
		case "dataset":
			r.Dataset = line[j]
			continue
		case "note":
			r.Note = line[j]
			continue
		}
		target := numbers[name]
		method, isMean := strings.CutSuffix(name, "_mean")
		if isMean {
			if own, ok := methodNames[method]; ok {
				method = own
			}
			r.Scores = append(r.Scores, Score{Method: method})
			target = &r.Scores[len(r.Scores)-1].Mean
		} else if strings.HasSuffix(name, "_std") { // after its mean
			target = &r.Scores[len(r.Scores)-1].Std
		}
		if target == nil || line[j] == "" {
			continue
		}
		var err error
		if *target, err = strconv.ParseFloat(line[j], 64); err != nil {
			return r, fmt.Errorf("column %s: %w", name, err)
		}
	}
	if r.Model == "" {
		if r.Model = "lasso"; !math.IsNaN(r.C) {
			r.Model = "svm"
		}
	}
	if r.Model == "svm" {
		r.Kernel = i.kernel
	}
	return r, nil
}

// Runs is the number of runs of every published mean.
const Runs = 20

// Source names the paper.
const Source = "Qu, Li, Zhao and Gu, NeurIPS 2022"
