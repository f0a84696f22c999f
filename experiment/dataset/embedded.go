package dataset

import (
	"context"
	"embed"
)

//go:embed data/*.gz
var embeddedFiles embed.FS

var embeddedOptions = map[string]Options{
	"breast_cancer": {Task: Classification, Classes: Classes{Negative: []string{"0"}, Positive: []string{"1"}}},
	"diabetes":      {Task: Regression},
	"digits":        {Task: Classification, Classes: Classes{Negative: []string{"0", "1", "2", "3", "4"}}},
}

// embedded reads an embedded data set. Sources are in data/README.md.
func (e Entry) embedded(ctx context.Context) (*Dataset, error) {
	name := e.Name + ".csv.gz"
	file, err := embeddedFiles.Open("data/" + name)
	if err != nil {
		return nil, err
	}
	d, err := Read(ctx, file, name, embeddedOptions[e.Name])
	if err == nil {
		d.Reading = Reading{How: "embedded in the program; " + d.named()}
	}
	return d, err
}
