package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/agepath/agepath/experiment/dataset"
)

func ExampleRead() {
	const table = `id,age,income,bought
k1,31,2500,yes
k2,47,?,no
k3,25,1800,no
`
	d, err := dataset.Read(context.Background(), strings.NewReader(table), "customers.csv", dataset.Options{
		Target:  "bought",
		Drop:    []string{"id"},
		Classes: dataset.Classes{Negative: []string{"no"}},
		Missing: "mean",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Name, d.Task, d.Features)
	for i, y := range d.Y {
		fmt.Println(d.X[i*d.D:(i+1)*d.D], y)
	}
	// Output:
	// customers classification [age income]
	// [31 2500] 1
	// [47 2150] -1
	// [25 1800] -1
}

func ExampleRead_error() {
	_, err := dataset.Read(context.Background(), strings.NewReader("age,y\n31,1\nold,2\n"), "customers.csv", dataset.Options{})
	fmt.Println(err)
	// Output: customers.csv, line 3, column 0 (age): text "old" in a number column; missing_marks: ["old"], missing: median takes it for a missing value; encode: {onehot: [0]} makes each of their values a feature
}

func ExampleLibrary_Load() {
	d, err := new(dataset.Library).Load(context.Background(), dataset.Source{Name: "diabetes"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.N, d.D, d.Task, d.Features[:3], d.Y[0])
	// Output: 442 10 regression [age sex bmi] 151
}

func ExampleEncode() {
	d := &dataset.Dataset{
		Name: "line", Task: dataset.Regression, Features: []string{"x"},
		N: 2, D: 1, X: []float64{0, 1}, Y: []float64{1, 3},
	}
	var b bytes.Buffer
	if err := dataset.Encode(&b, d); err != nil {
		fmt.Println(err)
		return
	}
	size := b.Len()
	same, err := dataset.Decode(&b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(size, "bytes;", same.Y, same.Digest() == d.Digest())
	// Output: 74 bytes; [1 3] true
}
