package dataset

import (
	"context"
	"embed"
	"fmt"
)

//go:embed data/*.gz
var embeddedFiles embed.FS

var embeddedOptions = map[string]Options{
	"breast_cancer": {Task: Classification, Classes: Classes{Negative: []string{"0"}, Positive: []string{"1"}}},
	"diabetes":      {Task: Regression},
	"digits":        {Task: Classification, Classes: Classes{Negative: []string{"0", "1", "2", "3", "4"}}},
}

// Embedded returns an embedded data set; ok is false for other names. Sources are in
// data/README.md.
//
//	breast_cancer  569 x 30   classification: malignant -1 (212 rows), benign +1
//	diabetes       442 x 10   regression, features as measured (not scaled)
//	digits         1797 x 64  classification: 0 to 4 -1 (901 rows), 5 to 9 +1
func Embedded(name string) (d *Dataset, ok bool, err error) {
	o, ok := embeddedOptions[name]
	if !ok {
		return nil, false, nil
	}
	file, err := embeddedFiles.Open("data/" + name + ".csv.gz")
	if err == nil {
		d, err = Read(context.Background(), file, name+".csv.gz", o)
	}
	if err != nil {
		return nil, true, fmt.Errorf("embedded data set %s: %w", name, err)
	}
	d.Reading = Reading{How: "embedded in the program; " + d.named()}
	return d, true, nil
}
