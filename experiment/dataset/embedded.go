package dataset

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
)

//go:embed data/*.gz
var embeddedFiles embed.FS

// longestLine bounds the lines of the embedded files.
const longestLine = 1 << 16

// EmbeddedNames lists the data sets that need no file, in alphabetical order.
func EmbeddedNames() []string { return []string{"breast_cancer", "diabetes", "digits"} }

// Embedded returns the embedded data set of that name; ok tells whether there
// is one. The source of each is in data/README.md.
//
//	breast_cancer  569 x 30   classification: malignant -1 (212 rows), benign +1
//	diabetes       442 x 10   regression, features as measured (not scaled)
//	digits         1797 x 64  classification: 0 to 4 -1 (901 rows), 5 to 9 +1
func Embedded(name string) (d *Dataset, ok bool, err error) {
	switch name {
	case "breast_cancer":
		d, err = readEmbedded(name, breastCancerFeatures(), Options{
			Format: formatCSV, Skip: 1, Task: Classification, // the first line holds counts and class names
			Classes: Classes{Negative: []string{"0"}, Positive: []string{"1"}},
		}, "breast_cancer.csv.gz")
	case "diabetes":
		features := []string{"age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"}
		d, err = readEmbedded(name, features, Options{Format: formatSpace, Task: Regression},
			"diabetes_data_raw.csv.gz", "diabetes_target.csv.gz")
	case "digits":
		d, err = readEmbedded(name, digitsFeatures(), Options{
			Format: formatCSV, Task: Classification,
			Classes: Classes{Negative: []string{"0", "1", "2", "3", "4"}},
		}, "digits.csv.gz")
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, true, fmt.Errorf("embedded data set %s: %w", name, err)
	}
	return d, true, nil
}

// readEmbedded reads a table whose columns lie in one or more files.
func readEmbedded(name string, features []string, o Options, files ...string) (*Dataset, error) {
	text, err := paste(files)
	if err != nil {
		return nil, err
	}
	o.Header = new(bool)
	d, err := Read(context.Background(), text, name, o)
	if err != nil {
		return nil, err
	}
	if len(features) != d.D {
		return nil, fmt.Errorf("%d features, expected %d", d.D, len(features))
	}
	d.Features = features
	return d, nil
}

// paste joins the lines of files side by side.
func paste(files []string) (io.Reader, error) {
	var joined [][]byte
	for k, file := range files {
		rows, err := unpack(file)
		if err != nil {
			return nil, err
		}
		switch {
		case k == 0:
			joined = rows
		case len(rows) != len(joined):
			return nil, fmt.Errorf("%s has %d lines, %s has %d", files[0], len(joined), file, len(rows))
		default:
			for i := range joined {
				joined[i] = slices.Concat(joined[i], []byte(" "), rows[i])
			}
		}
	}
	return bytes.NewReader(bytes.Join(joined, []byte("\n"))), nil
}

// unpack returns the lines of an embedded file.
func unpack(file string) ([][]byte, error) {
	f, err := embeddedFiles.Open("data/" + file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it lies in the program
	l, err := newLines(context.Background(), f, longestLine)
	if err != nil {
		return nil, err
	}
	var rows [][]byte
	for {
		row, err := l.next()
		if err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		rows = append(rows, bytes.Clone(row))
	}
}

// breastCancerFeatures are the ten measures of a cell nucleus, each as mean,
// standard error and worst value.
func breastCancerFeatures() []string {
	measures := []string{
		"radius", "texture", "perimeter", "area", "smoothness",
		"compactness", "concavity", "concave points", "symmetry", "fractal dimension",
	}
	names := make([]string, 0, 3*len(measures))
	for _, form := range []string{"mean %s", "%s error", "worst %s"} {
		for _, measure := range measures {
			names = append(names, fmt.Sprintf(form, measure))
		}
	}
	return names
}

// digitsFeatures are the pixels of an image of 8 x 8, row by row.
func digitsFeatures() []string {
	names := make([]string, 0, 64)
	for row := range 8 {
		for column := range 8 {
			names = append(names, fmt.Sprintf("pixel_%d_%d", row, column))
		}
	}
	return names
}
