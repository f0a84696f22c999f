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
	"github.com/agepath/agepath/results/figure"
)

const (
	reportFolder = "report"
	figureFolder = "figures" // in reportFolder
)

// Write writes the report of the files in dir to dir/report: one file for each format, and figures
// as SVG, PNG and CSV (the plotted numbers). Equal files in dir give equal bytes. Unchanged files
// are not written; others are replaced atomically.
func Write(ctx context.Context, dir string, options Options) (*Report, error) {
	r, err := Load(ctx, dir, options)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(dir, reportFolder)
	if err := r.writeFigures(ctx, filepath.Join(folder, figureFolder), &options); err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	if err := writeFile(r, folder, selectedFile); err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	formats := options.Formats
	if formats == nil {
		formats = Formats[:1]
	}
	options.Progress.Tell("comparing methods", 0, 0)
	r.Compared()
	for i, format := range formats {
		options.Progress.Tell("writing the report", i+1, len(formats))
		for _, file := range format.Files {
			if err := writeFile(r, folder, file); err != nil {
				return nil, fmt.Errorf("report of %s as %s: %w", dir, format.Name, err)
			}
		}
		if format.Tables.Write != nil {
			if err := format.Tables.Write(ctx, r, folder, options.Compression); err != nil {
				return nil, err
			}
		}
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

func (r *Report) writeFigures(ctx context.Context, folder string, options *Options) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
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
				return err
			}
			data, err := rendering.render(f)
			if err != nil {
				return err
			}
			name := f.Name + rendering.ending
			written[name] = true
			if err := disk.WriteFile(disk.OS{}, filepath.Join(folder, name), data); err != nil {
				return err
			}
		}
	}
	return removeStale(folder, figure.Kinds(r.Layout), written)
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
