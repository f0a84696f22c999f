package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/figure"
)

const figureFolder = "figures" // in [results.ReportFolder]

// made returns what the options make of dir.
func (o *Options) made(dir string) (*results.Made, error) {
	inputs, err := results.InputsOf(dir)
	if err != nil {
		return nil, err
	}
	m := &results.Made{Agepath: o.Version, Inputs: inputs, Figures: o.Figures, Choose: o.Choose, Paper: o.Paper, Compression: o.Compression}
	for _, format := range o.formats() {
		m.Formats = append(m.Formats, format.Name)
	}
	return m, nil
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
	if err != nil || problem != nil || !have.Same(want) {
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
func Write(ctx context.Context, dir string, options Options) (*Report, error) {
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
	r, err := Load(ctx, dir, options)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(dir, results.ReportFolder)
	files, err := r.writeFigures(ctx, filepath.Join(folder, figureFolder), &options)
	if err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	files = append(files, selectedFile.Name)
	if err := writeFile(r, folder, selectedFile); err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	formats := options.formats()
	options.Progress.Tell("comparing methods", 0, 0)
	r.Compared()
	for i, format := range formats {
		options.Progress.Tell("writing the report", i+1, len(formats))
		for _, file := range format.Files {
			if err := writeFile(r, folder, file); err != nil {
				return nil, fmt.Errorf("report of %s as %s: %w", dir, format.Name, err)
			}
			files = append(files, file.Name)
		}
		if format.Tables.Write != nil {
			if err := format.Tables.Write(ctx, r, folder, options.Compression); err != nil {
				return nil, err
			}
			files = append(files, format.Tables.Names()...)
		}
	}
	if err := results.WriteMade(dir, made, files); err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	return r, nil
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
	written := map[string]bool{}
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
			written[name] = true
			files = append(files, figureFolder+"/"+name)
			if err := disk.WriteFile(disk.OS{}, filepath.Join(folder, name), data); err != nil {
				return nil, err
			}
		}
	}
	return files, removeStale(folder, figure.Kinds(r.Layout), written)
}

// removeStale keeps files that are not figures.
func removeStale(folder string, kinds []string, written map[string]bool) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		ours := slices.ContainsFunc(kinds, func(k string) bool {
			return strings.HasPrefix(name, k+"-")
		})
		if !ours || written[name] || !slices.Contains([]string{".svg", ".png", ".csv"}, filepath.Ext(name)) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}
