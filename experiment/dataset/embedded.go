package dataset

import (
	"bufio"
	"context"
	"embed"
	"fmt"
	"io"
	"strings"
)

//go:embed data/*.gz
var embeddedFiles embed.FS

// Embedded returns an embedded data set; ok is false for other names. Sources are in
// data/README.md.
//
//	breast_cancer  569 x 30   classification: malignant -1 (212 rows), benign +1
//	diabetes       442 x 10   regression, features as measured (not scaled)
//	digits         1797 x 64  classification: 0 to 4 -1 (901 rows), 5 to 9 +1
func Embedded(name string) (d *Dataset, ok bool, err error) {
	switch name {
	case "breast_cancer":
		d, err = readEmbedded(name, breastCancerFeatures(), Options{
			Format: formatCSV, Skip: 1, Task: Classification, // counts and class names
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
	d.Reading = Reading{How: "embedded in the program; " + d.named()}
	return d, nil
}

func paste(files []string) (io.Reader, error) {
	var joined []string
	for _, file := range files {
		packed, err := embeddedFiles.Open("data/" + file)
		if err != nil {
			return nil, err
		}
		text, err := unpacked(context.Background(), packed)
		if err != nil {
			return nil, err
		}
		rows := bufio.NewScanner(text)
		for i := 0; rows.Scan(); i++ {
			if i == len(joined) {
				joined = append(joined, "")
			}
			joined[i] += " " + rows.Text()
		}
		if err := rows.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return strings.NewReader(strings.Join(joined, "\n")), nil
}

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

func digitsFeatures() []string {
	names := make([]string, 0, 64)
	for row := range 8 {
		for column := range 8 {
			names = append(names, fmt.Sprintf("pixel_%d_%d", row, column))
		}
	}
	return names
}
