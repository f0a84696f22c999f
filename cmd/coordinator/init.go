package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/internal/command"
)

// start is what a first grid has.
type start struct {
	File, Data, Metric string
	Read, Models       []string
	Methods            string
	Repeats, Rows      int
}

var startGrid = template.Must(template.New("grid").Parse(`# A first grid for {{.File}}. docs/grid.md explains every key. The command plan says
# what it computes and how long that takes, run computes it and writes a report.
{{range .Read}}#
# {{.}}
{{end}}
data: [{{.Data}}]

# Each cell is computed for this many random splits, three quarters of the rows
# for training and the others for the score.
repeats: {{.Repeats}}
metric: {{.Metric}}
{{if .Rows}}rows: {{.Rows}} # of each split, for a result in reasonable time
{{end}}
# Lists make a cell for each value. Features are scaled first.
models:
{{range .Models}}  - {{.}}
{{end}}
# original: all rows count; acs: self-paced learning at given ages; gaga: the whole
# age path; the others are robust fits to compare with (docs/grid.md).
methods: [{{.Methods}}]
regularizers: [linear]
`))

var starts = map[dataset.Task]start{
	dataset.Regression: {
		Metric:  "rmse",
		Models:  []string{"lasso: {alpha: [0.001, 0.01, 0.1]}", "ridge: {alpha: [0.01, 0.1, 1]}", "elastic-net: {alpha: [0.001, 0.01, 0.1]}"},
		Methods: "original, acs, gaga, huber-lasso, sparse-lts",
	},
	dataset.Classification: {
		Metric:  "accuracy",
		Models:  []string{"logistic: {c: [0.1, 1, 10]}", "svm: {c: [0.1, 1, 10]}", "svm: {c: [0.1, 1, 10], kernel: rbf}"},
		Methods: "original, acs, gaga, trimmed-loss",
	},
}

func (a *app) initCommand() *cobra.Command {
	var target, path string
	cmd := command.Command("init FILE", "Write a first grid for a data file of your own",
		`Read a data file, find the options that it needs, and write a commented grid with
them, three models and the methods that fit the target, and a size that takes some
minutes. Nothing is overwritten.`,
		"coordinator init customers.csv --target churn",
		func(ctx context.Context, args []string) error { return a.writeGrid(ctx, args[0], target, path) })
	cmd.Flags().StringVar(&target, "target", "", "`column` to predict, by name or index (default: the last)")
	command.Path(cmd.Flags(), &path, "grid", "`file` to write (default: the data file's name with .yaml)")
	return cmd
}

func (a *app) writeGrid(ctx context.Context, file, target, path string) error {
	if path == "" {
		path = dataset.Source{Path: file}.DatasetName() + ".yaml"
	}
	if _, err := os.Lstat(path); err == nil {
		return command.Refusef("%s is there already; --grid FILE writes another file", path)
	}
	library, err := a.library.open()
	if err != nil {
		return err
	}
	at, err := filepath.Rel(filepath.Dir(path), file)
	if err != nil { // one of them is absolute
		at, err = filepath.Abs(file)
	}
	if err != nil {
		return err
	}
	options := []string{"path: " + strconv.Quote(filepath.ToSlash(at))}
	if target != "" {
		options = append(options, "target: "+strconv.Quote(target))
	}
	data, options, err := loadWith(ctx, library, path, options)
	if err != nil {
		return command.Refuse(err)
	}
	s := starts[data.Task]
	s.File, s.Data, s.Repeats = file, "{"+strings.Join(options, ", ")+"}", 10
	positive := dataset.Positives(data.Y)
	switch fewer := min(positive, data.N-positive); {
	case data.Task == dataset.Regression:
	case fewer < 5: // of an identifier
		return command.Refusef("%s: %s: %d rows of a class are too few; --target names another column", file, data.Reading.How, fewer)
	case 3*fewer < data.N:
		s.Metric = "balanced-accuracy" // as by default
	}
	s.Read = append([]string{fmt.Sprintf("Read: %d rows; %s.", data.N, data.Reading.How)}, data.Reading.Warnings...)
	text, plan, err := s.fit(ctx, library, path, data.N)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = out.WriteString(text)
	if err = errors.Join(err, out.Close()); err == nil {
		_, err = fmt.Fprintf(a.Out, "%s: %d cells, about %s on one core; `coordinator run %s` computes them\n", path, plan.Count(), roughTime(plan.Cost()), path)
	}
	return err
}

// loadWith reads a file, with the likely remedy of each error.
func loadWith(ctx context.Context, library *dataset.Library, grid string, options []string) (*dataset.Dataset, []string, error) {
	for {
		r, root, err := gridfile.Open([]byte("{"+strings.Join(options, ", ")+"}"), grid, nil)
		if err != nil {
			return nil, nil, err
		}
		source, ok := experiment.ReadSource(r, root, dataset.Options{}, false)
		if !ok {
			return nil, nil, r.Err()
		}
		data, err := library.Load(ctx, source)
		if err == nil {
			return data, options, nil
		}
		before := slices.Clone(options)
		for _, e := range dataset.Each(err) {
			if len(e.Remedies) == 0 {
				continue
			}
			options = e.Remedies[0].Follow(options)
		}
		if slices.Equal(before, options) || len(options) > 40 {
			return nil, nil, err
		}
	}
}

// fit reduces repeats and rows until a grid takes some minutes.
func (s *start) fit(ctx context.Context, library *dataset.Library, path string, rows int) (string, *experiment.Plan, error) {
	const most, fewRepeats, fewRows = 300, 3, 200
	for {
		var text strings.Builder
		if err := startGrid.Execute(&text, s); err != nil {
			return "", nil, err
		}
		grid, err := experiment.Parse([]byte(text.String()), path, nil)
		if err != nil {
			return "", nil, err
		}
		plan, err := grid.Plan(ctx, library)
		switch {
		case err != nil:
			return "", nil, err
		case plan.Cost() <= most || s.Repeats == fewRepeats && s.Rows != 0 && s.Rows <= fewRows:
			return text.String(), plan, nil
		case s.Repeats > fewRepeats:
			s.Repeats = max(fewRepeats, int(float64(s.Repeats)*most/plan.Cost()))
		case s.Rows == 0:
			s.Rows = max(fewRows, rows/2)
		default:
			s.Rows = max(fewRows, s.Rows/2)
		}
	}
}
