package report

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
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
	if err := out.Write(experiment.Names(columns)); err != nil {
		return err
	}
	line := make([]string, len(columns))
	_, err = results.EachNewest(ctx, r.Dir, "cells", nil, func(f *results.Frame) error {
		vectors, err := f.Vectors(filepath.Join(r.Dir, results.CellsFile), columns)
		if err != nil {
			return err
		}
		for row := range f.Rows() {
			for j, column := range columns {
				line[j] = csvValue(column.Type, vectors[j], row)
			}
			if err := out.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// csvValue formats a value for pandas and R: numbers exactly, times in UTC as
// 2026-11-25T21:31:09.000000Z, null as an empty field.
func csvValue(of experiment.Type, v *experiment.Vector, row int) string {
	if v.IsNull(row) {
		return ""
	}
	switch of {
	case experiment.Int:
		return strconv.FormatInt(v.Ints[row], 10)
	case experiment.Time:
		return time.UnixMicro(v.Ints[row]).UTC().Format("2006-01-02T15:04:05.000000Z")
	case experiment.Float:
		return strings.TrimPrefix(strconv.FormatFloat(v.Floats[row], 'g', -1, 64), "+")
	case experiment.FloatList: // not in tables of cells
		return fmt.Sprint(v.Lists[row])
	}
	return v.Texts[row]
}
