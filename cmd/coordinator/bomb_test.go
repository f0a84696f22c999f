package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestManyShortRows plans a grid on small gzip files of 8 million rows and wants
// the refusal to name limit, file and line, and the memory taken before it to be
// within the limit.
func TestManyShortRows(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	const memory = 128 << 20
	for name, row := range map[string]string{
		"a.csv":    "1,2\n",
		"b.txt":    "3 7\n",
		"c.libsvm": "1 1:1\n",
		"d.arff":   "1,2\n",
		"e.csv":    "1,yes\n",
	} {
		head := ""
		if name == "d.arff" {
			head = "@attribute a real\n@attribute y real\n@data\n"
		}
		dir := t.TempDir()
		path := write(t, dir, name+".gz", packed(t, head, row, 8<<20))
		grid := write(t, dir, "grid.yaml", fmt.Sprintf("data: [{path: %s.gz}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\nlimits: {memory: %dMiB}\n", name, memory>>20))
		refused, peak := measure(t, "plan", grid)
		wantRefusal(t, refused, []string{"data.0", path, "line ", "need about", "128 MiB", "limits.memory"})
		_, rest := measure(t, "plan", write(t, dir, "small.yaml", "data: [{name: diabetes}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\n"))
		if took := peak - rest; took > memory {
			t.Errorf("%s: the refusal took %d MiB", name, took>>20)
		}
	}
}

// TestNeedIsEnough plans grids on data sets of several shapes that are just below
// the limit, and wants them to take no more.
func TestNeedIsEnough(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	const memory = 128 << 20
	dir := t.TempDir()
	_, rest := measure(t, "plan", write(t, dir, "small.yaml", "data: [{name: diabetes}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\n"))
	for name, d := range map[string]int{"narrow.csv": 1, "middle.csv": 20, "wide.csv": 800, "sparse.libsvm": 3} {
		random := rand.New(rand.NewPCG(7, 7))
		n := int(memory / dataset.Need(1, d))
		if name == "sparse.libsvm" {
			n /= 2 // beside the rows as they stand in the file
		}
		var text bytes.Buffer
		for range n {
			if name == "sparse.libsvm" {
				fmt.Fprintf(&text, "%d 1:%d 2:%d 3:%d\n", random.IntN(1e6), random.IntN(1e6), random.IntN(1e6), random.IntN(1e6))
				continue
			}
			for range d {
				text.WriteString(strconv.Itoa(random.IntN(1e6)))
				text.WriteByte(',')
			}
			text.WriteString(strconv.Itoa(random.IntN(1e6)) + "\n")
		}
		write(t, dir, name, text.String())
		grid := write(t, dir, name+".yaml", fmt.Sprintf("data: [{path: %s}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\nlimits: {memory: %dMiB}\n", name, memory>>20))
		o, peak := measure(t, "plan", grid)
		if took := peak - rest; o.code != 0 || took > memory || took < memory/8 {
			t.Errorf("%s: planning %d rows took %d MiB\n%s", name, n, took>>20, o.err)
		}
	}
}

// packed returns a gzip file of a head and the same row many times.
func packed(t *testing.T, head, row string, times int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	const block = 1 << 16
	rows := []byte(strings.Repeat(row, block))
	if _, err := w.Write([]byte(head)); err != nil {
		t.Fatal(err)
	}
	for range times / block {
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
