package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// table is a data set of two features for regression.
const table = "a,b,y\n1,2,3\n2,1,4\n3,5,1\n4,4,2\n5,0,6\n6,3,5\n7,8,7\n8,6,9\n"

// dataGrid is a grid on the file data.csv.
const dataGrid = "data: [{path: data.csv}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\n"

// labelGrid is a grid for classification on the file data.csv.
const labelGrid = "data: [{path: data.csv}]\nmodels: [{svm: {c: 1}}]\nmethods: [original]\n"

// badInput is a grid with its data that must be refused.
type badInput struct {
	grid string
	data string   // of data.csv, no file when ""
	args []string // further ones
	want []string // parts of the message: the place, what is wrong, what is allowed
}

var badGrids = map[string]badInput{
	"empty grid":             {grid: "", want: []string{"grid.yaml", "it is empty"}},
	"YAML syntax":            {grid: "data: [diabetes\nmodels: 3\n", want: []string{"grid.yaml:1", "no YAML"}},
	"grid is a list":         {grid: "- data\n", want: []string{"grid.yaml:1", "a list is not allowed", "a grid is a map"}},
	"grid not UTF-8":         {grid: "data: [diabetes]\nname: \xff\xfe\n", want: []string{"grid.yaml:2", "not UTF-8"}},
	"two documents":          {grid: smallGrid + "---\n" + smallGrid, want: []string{"grid.yaml", "more than one document"}},
	"unknown key":            {grid: smallGrid + "repeat: 3\n", want: []string{"grid.yaml:8: repeat", "unknown key", "allowed are", "repeats"}},
	"unknown key in a model": {grid: change("lasso: {alpha: [0.01, 0.1]}", "lasso: {alfa: 0.1}"), want: []string{"grid.yaml:5: models.0.lasso.alfa", "unknown key", "alpha"}},
	"key twice":              {grid: smallGrid + "seed: 2\n", want: []string{"grid.yaml:8: seed", "given twice", "line 2"}},
	"key without a value":    {grid: change("seed: 1", "seed:"), want: []string{"grid.yaml:2: seed", "has no value"}},
	"key missing":            {grid: change("methods: [original]\n", ""), want: []string{"grid.yaml", "methods is missing", "original, acs"}},
	"empty list":             {grid: change("[0.01, 0.1]", "[]"), want: []string{"grid.yaml:5: models.0.lasso.alpha", "the list is empty", "at least one"}},
	"duplicate values":       {grid: change("[0.01, 0.1]", "[0.1, 0.1]"), want: []string{"grid.yaml:5: models.0.lasso.alpha.1", "0.1 is given twice"}},
	"range with step 0":      {grid: change("[0.01, 0.1]", "{from: 0.1, to: 1, step: 0}"), want: []string{"grid.yaml:5: models.0.lasso.alpha.step", "0 is not allowed", "a step > 0 is"}},
	"range the wrong way":    {grid: change("[0.01, 0.1]", "{from: 0.1, to: 1, step: -0.1}"), want: []string{"grid.yaml:5: models.0.lasso.alpha.step", "-0.1 leads away", "sign"}},
	"range too long":         {grid: change("[0.01, 0.1]", "{from: 0.1, to: 1e9, step: 0.1}"), want: []string{"grid.yaml:5: models.0.lasso.alpha", "more than 100000 values"}},
	"alpha of 0":             {grid: change("[0.01, 0.1]", "[0.1, 0]"), want: []string{"grid.yaml:5: models.0.lasso.alpha.1", `"0" is not allowed`, "a number > 0 is"}},
	"alpha below 0":          {grid: change("[0.01, 0.1]", "-3"), want: []string{"grid.yaml:5: models.0.lasso.alpha", `"-3" is not allowed`, "a number > 0 is"}},
	"alpha not a number":     {grid: change("[0.01, 0.1]", ".nan"), want: []string{"grid.yaml:5: models.0.lasso.alpha", `".nan" is not allowed`, "a number > 0 is"}},
	"noise above 1":          {grid: change("[0, 0.3]", "[0, 1.5]"), want: []string{"grid.yaml:6: noise.0.levels.1", `"1.5" is not allowed`, "from 0 to 1"}},
	"unknown noise":          {grid: change("gaussian", "salt"), want: []string{"grid.yaml:6: noise.0.kind", `"salt" is not allowed`, "gaussian, gaussian-target, "}},
	"noise of labels":        {grid: change("gaussian", "flip"), want: []string{"grid.yaml:6: noise.0.kind", "does not fit the data set diabetes", "gaussian, gaussian-target, "}},
	"C on a regression set":  {grid: change("lasso: {alpha: [0.01, 0.1]}", "svm: {c: 1}"), want: []string{"grid.yaml:5: models.0", "svm is a model for classification", "diabetes is for regression", "allowed there are lasso"}},
	"C for the lasso":        {grid: change("{alpha: [0.01, 0.1]}", "{alpha: 0.1, c: 1}"), want: []string{"grid.yaml:5: models.0.lasso.c", "unknown key", "alpha, intercept"}},
	"unknown model":          {grid: change("lasso", "tree"), want: []string{"grid.yaml:5: models.0", `"tree" is unknown`, "lasso, elastic-net, ridge, svm, logistic"}},
	"unknown method":         {grid: change("[original]", "[original, lars]"), want: []string{"grid.yaml:7: methods.1", `"lars" is unknown`, "original, acs"}},
	"unknown regularizer":    {grid: change("[original]", "[acs]") + "regularizers: [quadratic]\n", want: []string{"grid.yaml:8: regularizers.0", `"quadratic" is unknown`, "hard, linear"}},
	"no regularizer":         {grid: change("[original]", "[acs]"), want: []string{"grid.yaml", "regularizers is missing", "the method acs needs"}},
	"ages the wrong way":     {grid: smallGrid + "age: {min: 3, max: 1}\n", want: []string{"grid.yaml:8: age", "max is 1 and min is 3", "max > min"}},
	"split of 0":             {grid: smallGrid + "split: {train: 0}\n", want: []string{"grid.yaml:8: split.train", `"0" is not allowed`, "a number > 0"}},
	"validation of 1":        {grid: smallGrid + "split: {validation: 1}\n", want: []string{"grid.yaml:8: split.validation", `"1" is not allowed`, "below 1"}},
	"repeats of 0":           {grid: change("repeats: 2", "repeats: 0"), want: []string{"grid.yaml:3: repeats", `"0" is not allowed`, "a whole number from 1"}},
	"time without unit":      {grid: smallGrid + "limits: {timeout: 30}\n", want: []string{"grid.yaml:8: limits.timeout", `"30" is not allowed`, "30m"}},
	"unknown experiment":     {grid: smallGrid + "experiment: rehline\n", want: []string{"grid.yaml:8: experiment", `"rehline" is not allowed`, "self-paced"}},
	"name of a path":         {grid: change("name: small", "name: ../../etc"), want: []string{"grid.yaml:1: name", "is not allowed", "without /"}},
	"anchors":                {grid: change("[0.01, 0.1]", "&a [0.1]"), want: []string{"grid.yaml:5", "anchors and aliases"}},
	"too many cells":         {grid: change("[0.01, 0.1]", "{from: 0.0001, to: 1, step: 0.0001}"), args: []string{"--set", "repeats=1000000"}, want: []string{"grid.yaml", "cells", "at most 1000000000"}},
	"unknown data set":       {grid: change("diabetes", "diabets"), want: []string{"grid.yaml:4: data.0", `unknown data set "diabets"`, "did you mean diabetes"}},
	"absent data set":        {grid: change("diabetes", "music"), want: []string{"grid.yaml:4: data.0", "music", "looked for", "datasets fetch music"}},
	"data set twice":         {grid: change("[diabetes]", "[diabetes, diabetes]"), want: []string{"grid.yaml:4: data.1", "given twice"}},
}

var badData = map[string]badInput{
	"missing file":              {grid: dataGrid, want: []string{"grid.yaml:1: data.0", "data.csv", "no such file"}},
	"empty file":                {grid: dataGrid, data: "\n", want: []string{"grid.yaml:1: data.0", "data.csv"}},
	"header only":               {grid: dataGrid, data: "a,b,y\n", want: []string{"grid.yaml:1: data.0", "data.csv", "no row"}},
	"ragged row":                {grid: dataGrid, data: table + "1,2\n", want: []string{"grid.yaml:1: data.0", "data.csv, line 10", "2", "3"}},
	"text in a number column":   {grid: dataGrid, data: table + "1,many,2\n", want: []string{"grid.yaml:1: data.0", "data.csv, line 10", "b", `"many"`}},
	"NaN":                       {grid: dataGrid, data: table + "1,NaN,2\n", want: []string{"grid.yaml:1: data.0", "data.csv", "b", "missing", "mean"}},
	"Inf":                       {grid: dataGrid, data: table + "1,Inf,2\n", want: []string{"grid.yaml:1: data.0", "data.csv, line 10", "b", "infinite", "allowed are finite numbers"}},
	"number too large":          {grid: dataGrid, data: table + "1,1e999,2\n", want: []string{"grid.yaml:1: data.0", "data.csv, line 10", "1e999", "allowed are finite numbers"}},
	"missing value":             {grid: dataGrid, data: table + "1,,2\n", want: []string{"grid.yaml:1: data.0", "data.csv", "1 missing", "b", "mean"}},
	"quote without end":         {grid: dataGrid, data: table + "1,\"2,3\n", want: []string{"grid.yaml:1: data.0", "data.csv, line 10", "quote"}},
	"not UTF-8":                 {grid: dataGrid, data: "a,b\xff,y\n1,2,3\n", want: []string{"grid.yaml:1: data.0", "data.csv, line 1", "UTF-8"}},
	"one class only":            {grid: labelGrid, data: "a,y\n1,yes\n2,yes\n3,yes\n4,yes\n", want: []string{"grid.yaml:1: data.0", "data.csv", "yes"}},
	"three classes":             {grid: labelGrid, data: "a,y\n1,red\n2,green\n3,blue\n4,red\n5,green\n6,blue\n", want: []string{"grid.yaml:1: data.0", "data.csv", "red", "blue", "classes"}},
	"class that is not there":   {grid: strings.Replace(labelGrid, "data.csv", "data.csv, classes: {positive: [pink]}", 1), data: "a,y\n1,red\n2,green\n3,red\n4,green\n", want: []string{"grid.yaml:1: data.0", "data.csv", "pink"}},
	"target out of range":       {grid: strings.Replace(dataGrid, "data.csv", "data.csv, target: 7", 1), data: table, want: []string{"grid.yaml:1: data.0", "data.csv", "7", "3"}},
	"target unknown":            {grid: strings.Replace(dataGrid, "data.csv", "data.csv, target: yield", 1), data: table, want: []string{"grid.yaml:1: data.0", "data.csv", `"yield"`}},
	"drop of an unknown column": {grid: strings.Replace(dataGrid, "data.csv", "data.csv, drop: [id]", 1), data: table, want: []string{"grid.yaml:1: data.0", "data.csv", `"id"`}},
	"unknown format":            {grid: strings.Replace(dataGrid, "data.csv", "data.csv, format: excel", 1), data: table, want: []string{"grid.yaml:1: data.0", "excel", "csv, tsv, space, arff, libsvm"}},
	"too few rows to split":     {grid: dataGrid, data: "a,b,y\n1,2,3\n2,1,4\n", want: []string{"grid.yaml:1: data.0", "2 rows"}},
	"truncated gzip":            {grid: dataGrid, data: gzipped(table)[:40], want: []string{"grid.yaml:1: data.0", "data.csv", "gzip"}},
	"damaged gzip":              {grid: dataGrid, data: "\x1f\x8b" + table, want: []string{"grid.yaml:1: data.0", "data.csv", "gzip"}},
	"arff cut off":              {grid: dataGrid, data: "@relation r\n@attribute a numeric\n", want: []string{"grid.yaml:1: data.0", "data.csv", "@data"}},
	"zeros for text":            {grid: dataGrid, data: "a,b,y\n1,2,\x00\x00\n", want: []string{"grid.yaml:1: data.0", "data.csv, line 2"}},
}

// change returns smallGrid with one text replaced.
func change(old, replacement string) string {
	if !strings.Contains(smallGrid, old) {
		panic(old)
	}
	return strings.Replace(smallGrid, old, replacement, 1)
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a bytes.Buffer does not fail
	_ = w.Close()
	return b.String()
}

// TestBadInput wants grids and data sets that make no sense to be refused by
// plan and by run, with a message that names the place and what is allowed,
// before anything is computed or written.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for kind, cases := range map[string]map[string]badInput{"grid": badGrids, "data": badData} {
		for name, c := range cases {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				grid := write(t, dir, "grid.yaml", c.grid)
				if c.data != "" {
					write(t, dir, "data.csv", c.data)
				}
				wantNothingDone(t, dir, grid, c.args, c.want)
			})
		}
	}
}

// wantNothingDone wants plan and run to refuse a grid and to leave the folder
// as it is.
func wantNothingDone(t *testing.T, dir, grid string, args, want []string) {
	t.Helper()
	before := listing(t, dir)
	out := filepath.Join(dir, "out")
	for _, name := range []string{"plan", "run"} {
		wantRefusal(t, do(t, append([]string{name, grid, "--out", out, "--cache", filepath.Join(dir, "cache")}, args...)...), want)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("the folder held\n%snow it holds\n%s", before, after)
	}
}

// listing lists the files below a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		b.WriteString(path + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBadOut wants folders that cannot take the results to be refused before
// anything is computed.
func TestBadOut(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, dir, out string) outcome {
		return do(t, "run", write(t, dir, "grid.yaml", smallGrid), "--out", out)
	}
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		out := write(t, dir, "out", "mine")
		wantRefusal(t, run(t, dir, out), []string{out, "not a directory"})
		wantRefusal(t, run(t, dir, filepath.Join(out, "below")), []string{out, "not a directory"})
		if text, err := os.ReadFile(out); err != nil || string(text) != "mine" {
			t.Errorf("the file holds %q, %v", text, err)
		}
	})
	t.Run("read-only", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() == 0 {
			t.Skip("root writes everywhere")
		}
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		if err := os.Mkdir(out, 0o555); err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, run(t, dir, out), []string{out, "permission denied"})
		wantRefusal(t, run(t, dir, filepath.Join(out, "below")), []string{out, "permission denied"})
	})
	t.Run("below /proc", func(t *testing.T) {
		t.Parallel()
		if _, err := os.Stat("/proc/self"); err != nil {
			t.Skip("there is no /proc, where even root cannot make a folder")
		}
		wantRefusal(t, run(t, t.TempDir(), "/proc/agepath"), []string{"/proc/agepath"})
	})
	t.Run("in use", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		kind := selfpaced.Kind{}
		store, err := results.Open(t.Context(), out, results.StoreOptions{Tables: kind.Tables(), Run: "other"})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		wantRefusal(t, run(t, dir, out), []string{out, "is being written by", "choose another folder"})
	})
}

// TestHugeLine wants a line of 1 GB, and one that is small until it is
// decompressed, to be refused in little time and memory.
func TestHugeLine(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	dir := t.TempDir()
	sparse := filepath.Join(dir, "sparse.csv")
	file, err := os.Create(sparse)
	if err == nil {
		err = errors.Join(file.Truncate(1<<30), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	writeBomb(t, filepath.Join(dir, "bomb.csv"), 200<<20)
	for _, name := range []string{"sparse.csv", "bomb.csv"} {
		grid := write(t, dir, "grid-"+name+".yaml", strings.Replace(dataGrid, "data.csv", name, 1))
		o, peak := measure(t, "run", grid, "--out", filepath.Join(dir, "out"))
		wantRefusal(t, o, []string{name + ", line 1"})
		if peak > 400<<20 { // a line may have 64 MiB, its buffer grows by doubling, and a busy machine collects late
			t.Errorf("%s took %d MiB", name, peak>>20)
		}
	}
}

// writeBomb writes a gzipped line of so many bytes.
func writeBomb(t *testing.T, path string, bytes int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	part := []byte(strings.Repeat("1", 1<<20))
	for range bytes / len(part) {
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLargePlan plans 10 million cells in little time and memory.
func TestLargePlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", "data: [diabetes]\nrepeats: 1000\nmodels: [{lasso: {alpha: {from: 0.0001, to: 1, step: 0.0001}}}]\nmethods: [original]\n")
	o, peak := measure(t, "plan", grid, "--out", filepath.Join(dir, "out"))
	if o.code != command.ExitDone || !strings.Contains(o.out, "cells  10001000 (1000 repeats)") {
		t.Fatalf("exit status %d: %s%s", o.code, o.out, o.err)
	}
	if peak > 100<<20 {
		t.Errorf("%d MiB, want at most 100", peak>>20)
	}
}
