package report

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
)

const figureFolder = "figures" // in [results.ReportFolder]

// made returns what the options make of dir.
func (o *Options) made(dir string) (*results.Made, error) {
	inputs, err := results.InputsOf(dir)
	if err != nil {
		return nil, err
	}
	return &results.Made{MadeOf: results.MadeOf{Agepath: o.Version, Inputs: inputs, Figures: o.Figures, Choose: o.Choose, Paper: o.Paper, Compression: o.Compression,
		Tests: cmp.Or(o.Tests, analysis.DefaultTests)}, Formats: FormatNames(o.formats())}, nil
}

func (o *Options) formats() []Format {
	if o.Formats == nil {
		return Formats[:1]
	}
	return o.Formats
}

// Fresh reports whether dir has the report that [Write] would write.
func Fresh(dir string, options Options) bool {
	want, err := options.made(dir)
	have, problem := results.ReadMade(dir)
	if err != nil || problem != nil || have.MadeOf != want.MadeOf {
		return false
	}
	for name := range have.Files {
		if _, err := os.Stat(filepath.Join(dir, results.ReportFolder, name)); err != nil {
			return false
		}
	}
	return !slices.ContainsFunc(want.Formats, func(name string) bool { return !slices.Contains(have.Formats, name) })
}

// Write writes the report of the files in dir to dir/report: one file for each format, and figures
// as SVG, PNG and CSV (the plotted numbers). Formats that are there are written again, so that all
// files are of one state, which made.json describes. Equal files in dir give equal bytes. Unchanged
// files are not written; others are replaced atomically.
func Write(ctx context.Context, dir string, options Options) (r *Report, err error) {
	defer func() {
		if err != nil {
			r, err = nil, fmt.Errorf("report of %s: %w", dir, err)
		}
	}()
	before, err := results.ReadMade(dir)
	if err != nil {
		return nil, err
	}
	for _, format := range Formats {
		asked := func(f Format) bool { return f.Name == format.Name }
		if slices.Contains(before.Formats, format.Name) && !slices.ContainsFunc(options.formats(), asked) {
			options.Formats = append(slices.Clone(options.formats()), format)
		}
	}
	made, err := options.made(dir)
	if err != nil {
		return nil, err
	}
	r, err = load(ctx, dir, options)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(dir, results.ReportFolder)
	files, err := r.writeFigures(ctx, filepath.Join(folder, figureFolder), &options)
	if err != nil {
		return nil, err
	}
	files = append(files, selectedFile.Name)
	if err := writeFile(r, folder, selectedFile); err != nil {
		return nil, err
	}
	formats := options.formats()
	for i, format := range formats {
		options.Progress.Tell("writing the report", i+1, len(formats))
		for _, file := range format.Files {
			if err := writeFile(r, folder, file); err != nil {
				return nil, fmt.Errorf("as %s: %w", format.Name, err)
			}
			files = append(files, file.Name)
		}
		if format.Tables != nil {
			names, err := format.Tables(ctx, r, folder, options.Compression)
			if err != nil {
				return nil, err
			}
			files = append(files, names...)
		}
	}
	return r, results.WriteMade(dir, made, files)
}

// VerifyAnswer compares answer.csv with what the tables of dir say under the options of the report.
func VerifyAnswer(ctx context.Context, v *results.Verification, dir, version string) error {
	made, problem := results.ReadMade(dir)
	file := csvFiles[slices.IndexFunc(csvFiles, func(f FormatFile) bool { return f.Name == "answer.csv" })]
	path := filepath.Join(dir, results.ReportFolder, file.Name)
	have, err := os.ReadFile(path)
	if problem != nil || err != nil || len(v.Problems) > 0 { // those are problems already
		return nil //nolint:nilerr // without the file there is nothing to compare
	}
	if made.Agepath != version {
		v.Note("%s was not compared with the tables: agepath %s wrote it, and this is %s", path, made.Agepath, version)
		return nil
	}
	r, err := Load(ctx, dir, Options{Figures: -1, Choose: made.Choose, Tests: made.Tests})
	if err != nil {
		return err
	}
	var want bytes.Buffer
	if err := file.Write(&want, r); err == nil && !bytes.Equal(want.Bytes(), have) {
		v.Problem("report", "%s does not say what the tables say; `coordinator report %s` makes it again", path, dir)
	}
	return nil
}

// writeFile removes an earlier file if it would be empty.
func writeFile(r *Report, folder string, file FormatFile) error {
	path := filepath.Join(folder, file.Name)
	if file.Empty != nil && file.Empty(r) {
		return disk.RemoveIfThere(disk.OS{}, path)
	}
	var buf bytes.Buffer
	if err := file.Write(&buf, r); err != nil {
		return err
	}
	return disk.WriteFile(disk.OS{}, path, buf.Bytes())
}

func (r *Report) writeFigures(ctx context.Context, folder string, options *Options) (files []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	renderings := []struct {
		ending string
		render func(*figure.Figure) ([]byte, error)
	}{{".svg", (*figure.Figure).SVG}, {".png", (*figure.Figure).PNG}, {".csv", (*figure.Figure).CSV}}
	for i, f := range r.Figures {
		options.Progress.Tell("drawing figures", i+1, len(r.Figures))
		for _, rendering := range renderings {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			data, err := rendering.render(f)
			if err != nil {
				return nil, err
			}
			name := f.Name + rendering.ending
			files = append(files, figureFolder+"/"+name)
			if err := disk.WriteFile(disk.OS{}, filepath.Join(folder, name), data); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}
