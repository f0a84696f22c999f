// Package parquet writes the tables of a folder of results as Parquet files.
package parquet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v15/parquet/compress"

	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// Name is the file of a table.
func Name(table string) string { return table + ".parquet" }

// Write writes each table of dir to folder, atomically and the cells last, without former grids,
// and removes other Parquet files there. Equal tables give equal bytes. Write fails while results
// are in streams.
func Write(ctx context.Context, dir, folder string, compression results.Compression) error {
	contents, err := results.Look(dir)
	if err == nil && !contents.Ended {
		err = errors.New("the run has not ended; wait for its end, or collect it into a folder first")
	}
	if err != nil {
		return fmt.Errorf("writing the tables of %s as Parquet: %w", dir, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	tables := contents.Tables
	if i := slices.Index(tables, "cells"); i >= 0 {
		tables = append(slices.Delete(tables, i, i+1), "cells")
	}
	for _, table := range tables {
		err := disk.Replace(disk.OS{}, filepath.Join(folder, Name(table)), func(file disk.File) error {
			return Convert(ctx, filepath.Join(dir, table+".arrow"), file, compression)
		})
		if err := disk.Advise(err); err != nil {
			return err
		}
	}
	old, err := filepath.Glob(filepath.Join(folder, Name("*")))
	for _, path := range old {
		if !slices.ContainsFunc(tables, func(table string) bool { return Name(table) == filepath.Base(path) }) {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// Convert writes an Arrow file of results as a Parquet file.
func Convert(ctx context.Context, from string, to io.Writer, compression results.Compression) error {
	buffered := bufio.NewWriterSize(to, 1<<18)
	out := &writer{compression: compression}
	err := results.EachFrame(ctx, from, nil, func(frame *results.Frame) error {
		if out.file == nil {
			if err := out.begin(struct{ io.Writer }{buffered}, frame); err != nil { // Close must not close it
				return err
			}
		}
		return out.add(frame)
	})
	if err != nil {
		return err
	}
	// The library ignores what goes wrong with a group that it closes itself.
	if err := errors.Join(out.group.Close(), out.file.Close()); err != nil {
		return err
	}
	return buffered.Flush()
}

// codecs has Snappy for LZ4, which the library does not write to Parquet files.
var codecs = map[results.Compression]compress.Compression{
	results.ZSTD: compress.Codecs.Zstd, results.LZ4: compress.Codecs.Snappy, results.Uncompressed: compress.Codecs.Uncompressed,
}
