package parquet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
)

// madeUp writes a folder of results with paths, and with coefficients and nulls.
func madeUp(t *testing.T, repeats int) (dir string) {
	t.Helper()
	run := testrun.Quickstart(repeats)
	dir = testrun.Write(t, run)
	table := experiment.Table{Name: "coefficients", Columns: []experiment.Column{
		{Name: "cell", Type: experiment.Text}, {Name: "knot", Type: experiment.Int}, {Name: "theta", Type: experiment.FloatList},
	}}
	long := make([]float64, 3*chunkValues) // longer than the library takes at a time
	for i := range long {
		long[i] = math.Sqrt(float64(i))
	}
	rows := &experiment.Batch{Rows: 6, Columns: []experiment.Vector{
		{Texts: []string{"a", "a", "b", "b", "c", "c"}},
		{Ints: []int64{0, 1, 0, 1, 0, 1}},
		{Lists: [][]float64{{1, -0.5}, {}, nil, {3}, long, long[:2]}, Null: []bool{false, false, true, false, false, false}},
	}}
	if err := results.WriteTable(filepath.Join(dir, "coefficients.arrow"), table, "made-up", rows, results.ZSTD); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestWrite reads back what is written by the Arrow library: names, types, nulls, values
// and metadata, in row groups of a bounded size.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := madeUp(t, 3)
	folder := filepath.Join(dir, "report")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(folder, Name("knots"))
	for _, want := range []results.Compression{results.LZ4, results.Uncompressed} {
		if _, err := Write(t.Context(), dir, folder, want); err != nil {
			t.Fatal(err)
		}
		wantSame(t, filepath.Join(dir, "knots.arrow"), plain)
		if is := compressionOf(plain); is != want {
			t.Errorf("written with the compression %s it has %q", want, is)
		}
	}
	if _, err := Write(t.Context(), dir, folder, ""); err != nil {
		t.Fatal(err)
	}
	if is := compressionOf(plain); is != results.ZSTD {
		t.Errorf("written without a compression it has %q", is)
	}
	for _, name := range []string{"cells", "knots", "coefficients"} {
		path := filepath.Join(folder, Name(name))
		wantSame(t, filepath.Join(dir, name+".arrow"), path)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Write(t.Context(), dir, folder, results.ZSTD); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: written again it has other bytes, %v", name, err)
		}
	}
}

func wantSame(t *testing.T, from, path string) {
	t.Helper()
	want, err := results.ReadTable(from)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for key, want := range map[string]string{
		results.MetadataVersion: strconv.Itoa(experiment.SchemaVersion), results.MetadataTable: want.Metadata[results.MetadataTable], results.MetadataChecksums: "",
	} {
		have := ""
		if value := reader.MetaData().KeyValueMetadata().FindValue(key); value != nil {
			have = *value
		}
		if have != want {
			t.Errorf("%s: %s is %q, want %q", path, key, have, want)
		}
	}
	if reader.NumRows() != int64(want.Rows()) || want.Rows() == 0 {
		t.Fatalf("%s has %d rows, want %d", path, reader.NumRows(), want.Rows())
	}
	for j, column := range want.Columns {
		if have := reader.MetaData().Schema.Root().Field(j); have.Name() != column.Name {
			t.Errorf("%s: column %d is %s, want %s", path, j, have.Name(), column.Name)
		}
		var have []any
		for g := range reader.NumRowGroups() {
			chunk, err := reader.RowGroup(g).Column(j)
			if err != nil {
				t.Fatal(err)
			}
			have = append(have, values(t, chunk, reader.RowGroup(g).NumRows())...)
		}
		for row := range want.Rows() {
			should := want.At(j, row)
			if at, ok := should.(time.Time); ok {
				should = at.UnixMicro()
			}
			if fmt.Sprint(have[row]) != fmt.Sprint(should) {
				t.Fatalf("%s: row %d of %s is %v, want %v", path, row, column.Name, have[row], should)
			}
		}
	}
}

// values reads the rows of a column: nil for null.
func values(t *testing.T, chunk file.ColumnChunkReader, rows int64) (list []any) {
	t.Helper()
	const most = 1 << 20
	levels, begins := make([]int16, most), make([]int16, most)
	var total int64
	var err error
	next := func(int) any { return nil }
	switch chunk := chunk.(type) {
	case *file.Int64ColumnChunkReader:
		read := make([]int64, rows)
		total, _, err = chunk.ReadBatch(rows, read, levels, begins)
		next = func(i int) any { return read[i] }
	case *file.ByteArrayColumnChunkReader:
		read := make([]parquet.ByteArray, rows)
		total, _, err = chunk.ReadBatch(rows, read, levels, begins)
		next = func(i int) any { return string(read[i]) }
	case *file.Float64ColumnChunkReader:
		read := make([]float64, most)
		total, _, err = chunk.ReadBatch(most, read, levels, begins)
		next = func(i int) any { return read[i] }
	}
	if err != nil {
		t.Fatal(err)
	}
	highest := chunk.Descriptor().MaxDefinitionLevel()
	at := 0
	for i, level := range levels[:total] {
		value := any(nil)
		if level == highest {
			value = next(at)
			at++
		}
		switch {
		case highest == 1 || level == 0:
			list = append(list, value)
		case level == 1:
			list = append(list, []any{})
		case begins[i] == 0:
			list = append(list, []any{value})
		default:
			last := &list[len(list)-1]
			*last = append((*last).([]any), value)
		}
	}
	return list
}

// TestWriteRefuses wants a run that goes on to be refused, and damage to leave the file
// of before.
func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	dir := madeUp(t, 1)
	folder := filepath.Join(dir, "report")
	if _, err := Write(t.Context(), dir, folder, results.ZSTD); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(folder, "knots.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	knots := filepath.Join(dir, "knots.arrow")
	text, err := os.ReadFile(knots)
	if err == nil {
		err = os.WriteFile(knots, text[:len(text)/2], 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), dir, folder, results.ZSTD); err == nil {
		t.Error("half a file was taken")
	}
	if after, err := os.ReadFile(filepath.Join(folder, "knots.parquet")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("half a file left another file, %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cells.0001.arrows"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), dir, folder, results.ZSTD); err == nil || !strings.Contains(err.Error(), "has not ended") {
		t.Errorf("a run that goes on: %v", err)
	}
}

// readBoth prints, for each table, a summary of every column by polars of the Arrow and
// the Parquet file, and by DuckDB of the Parquet file.
const readBoth = `
import fs from 'node:fs'
import pl from 'nodejs-polars'
import { DuckDBInstance } from '@duckdb/node-api'
const dir = process.argv[2]
const db = await (await DuckDBInstance.create(':memory:')).connect()
const out = {}
for (const name of ['cells', 'knots', 'coefficients']) {
  const arrow = pl.readIPC(fs.readFileSync(dir + '/' + name + '.arrow'))
  const parquet = pl.readParquet(fs.readFileSync(dir + '/report/' + name + '.parquet'))
  const types = (frame) => frame.getColumns().map((c) => c.name + ' ' + c.dtype.toString() + ' ' + c.nullCount())
  const counted = arrow.columns.map((c) => 'count("' + c + '") AS "' + c + '"').join(', ')
  const rows = await db.runAndReadAll("SELECT count(*) AS rows_, " + counted + " FROM '" + dir + '/report/' + name + ".parquet'")
  const counts = rows.getRowObjectsJson()[0]
  out[name] = {
    types: [types(arrow), types(parquet)],
    records: [JSON.stringify(arrow.toRecords()), JSON.stringify(parquet.toRecords())],
    duckdb: [arrow.columns.map((c, j) => arrow.height - arrow.getColumns()[j].nullCount()).join(),
      arrow.columns.map((c) => Number(counts[c])).join()],
    rows: arrow.height,
  }
}
const replace = (_, v) => (typeof v === 'bigint' ? v.toString() : v)
fs.writeFileSync(process.argv[3], JSON.stringify(out, replace))
`

// TestReadByOthers has polars and DuckDB read the files: polars must find what it finds
// in the Arrow files.
func TestReadByOthers(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	polars := needs.Polars(t, "../testdata/polars")
	for _, compression := range results.Compressions {
		readByOthers(t, polars, results.Compression(compression))
	}
}

func readByOthers(t *testing.T, polars string, compression results.Compression) {
	t.Helper()
	dir, work := madeUp(t, 2), t.TempDir()
	if _, err := Write(t.Context(), dir, filepath.Join(dir, "report"), compression); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(work, "read.mjs")
	err := os.WriteFile(script, []byte(readBoth), 0o644)
	if err == nil {
		err = os.Symlink(filepath.Join(polars, "node_modules"), filepath.Join(work, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if text, err := exec.CommandContext(t.Context(), "node", script, dir, filepath.Join(work, "read.json")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(filepath.Join(work, "read.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tables map[string]struct {
		Types   [2][]string
		Records [2]string
		DuckDB  [2]string
		Rows    int
	}
	if err := json.Unmarshal(text, &tables); err != nil {
		t.Fatal(err)
	}
	for name, table := range tables {
		if fmt.Sprint(table.Types[0]) != fmt.Sprint(table.Types[1]) || table.Rows == 0 {
			t.Errorf("%s: %d rows; polars reads the columns\n%v, in Arrow\n%v", name, table.Rows, table.Types[1], table.Types[0])
		}
		if table.Records[0] != table.Records[1] {
			t.Errorf("%s: polars reads other values", name)
		}
		if table.DuckDB[0] != table.DuckDB[1] {
			t.Errorf("%s: DuckDB counts %s, want %s", name, table.DuckDB[1], table.DuckDB[0])
		}
	}
	if len(tables) != 3 {
		t.Errorf("%d tables were read", len(tables))
	}
}

// compressionOf returns the compression of a file made by [Write], "" if unknown.
func compressionOf(path string) results.Compression {
	reader, err := file.OpenParquetFile(path, false)
	if err != nil {
		return ""
	}
	defer func() { _ = reader.Close() }()
	if reader.NumRowGroups() == 0 {
		return ""
	}
	chunk, err := reader.MetaData().RowGroup(0).ColumnChunk(0)
	if err != nil {
		return ""
	}
	for compression, codec := range codecs {
		if codec == chunk.Compression() {
			return compression
		}
	}
	return ""
}
