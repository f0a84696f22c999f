package report

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/stats"
)

const cellsCSV = "cells.csv"

// writeCells writes the files of the kind's own part, then the cells, including streams. Only one
// batch is in memory.
func writeCells(ctx context.Context, r *Report, folder string, _ results.Compression) error {
	if r.Own != nil {
		for i := range r.Own.Files {
			if err := writeFile(r, folder, ownFile(&r.Own.Files[i])); err != nil {
				return err
			}
		}
	}
	return disk.Advise(disk.Replace(disk.OS{}, filepath.Join(folder, cellsCSV), func(file disk.File) error {
		return r.addCells(ctx, file)
	}))
}

func ownFile(f *layout.File) FormatFile {
	lines := func(out *results.CSV, _ *Report) {
		for _, line := range f.Lines {
			out.Add(line...)
		}
	}
	return csvFile(f.Name, plainHead(f.Head...), lines, func(*Report) bool { return len(f.Lines) == 0 })
}

func (r *Report) addCells(ctx context.Context, to io.Writer) error {
	kind, err := analysis.KindOf(r.Dir)
	if err != nil {
		return err
	}
	columns := kind.Tables().Cells().Columns
	out := results.NewCSV(to)
	out.Add(experiment.Names(columns))
	line := make([]any, len(columns))
	_, err = results.EachNewest(ctx, r.Dir, "cells", columns, func(f *results.Frame) error {
		for row := range f.Rows() {
			for j := range line {
				line[j] = f.At(j, row)
				if x, is := line[j].(float64); is && !stats.Finite(x) { // NaN is no null here
					line[j] = strings.TrimPrefix(fmt.Sprint(x), "+")
				}
			}
			out.Add(line...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}
