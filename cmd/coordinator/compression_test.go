package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/file"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/parquet"
)

// magic begins the frames of a compression.
var magic = map[results.Compression][]byte{results.ZSTD: {0x28, 0xb5, 0x2f, 0xfd}, results.LZ4: {0x04, 0x22, 0x4d, 0x18}}

// wantCompression wants an Arrow file to have frames of a compression and of no other.
func wantCompression(t *testing.T, path string, want results.Compression) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for compression, begin := range magic {
		if has := bytes.Contains(text, begin); has != (compression == want) {
			t.Errorf("%s: frames of %s: %t, want %s", path, compression, has, want)
		}
	}
}

// TestCompression runs a grid into a folder with one compression after another: nothing is
// computed again, the rows are the same, and files and manifest have the last one.
func TestCompression(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "data.csv", table)
	grid, out := write(t, dir, "grid.yaml", dataGrid), filepath.Join(dir, "out")
	cellsFile := filepath.Join(out, results.CellsFile)
	var first *results.Frame
	for k, c := range []struct {
		env  map[string]string
		args []string
		want results.Compression
	}{
		{nil, nil, results.ZSTD},
		{map[string]string{"AGEPATH_COMPRESSION": "none"}, nil, results.Uncompressed},
		{map[string]string{"AGEPATH_COMPRESSION": "none"}, []string{"--compression", "lz4"}, results.LZ4},
		{nil, []string{"--config", write(t, dir, "config.yaml", "compression: none\nformat: [parquet, csv]\n")}, results.Uncompressed},
	} {
		o := doWith(t, t.Context(), c.env, append([]string{"run", grid, "--out", out, "--workers", "1", "--figures", "0"}, c.args...)...)
		if o.code != command.ExitDone || k > 0 && !strings.Contains(o.out, "0 cells to compute") {
			t.Fatalf("exit status %d\n%s%s", o.code, o.out, o.err)
		}
		wantCompression(t, cellsFile, c.want)
		m, err := results.ReadManifest(out)
		if err != nil || m.Compression != c.want {
			t.Errorf("the manifest says %q, want %s; %v", m.Compression, c.want, err)
		}
		frame, err := results.ReadTable(cellsFile)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = frame
		}
		for j, column := range frame.Columns {
			if is, was := frame.At(j, 0), first.At(j, 0); is != was {
				t.Errorf("%s: %s is %v, was %v", c.want, column.Name, is, was)
			}
		}
		must(t, "verify", out)
	}
	pq := filepath.Join(out, results.ReportFolder, parquet.Name("cells"))
	if is := parquetCodec(t, pq); is != compress.Codecs.Uncompressed {
		t.Errorf("the Parquet file has the compression %v", is)
	}
	before := contents(t, out)
	must(t, "run", grid, "--out", out, "--compression", "none", "--format", "parquet,csv", "--workers", "1", "--figures", "0")
	if !maps.Equal(before, contents(t, out)) {
		t.Error("the same command changes files")
	}
	must(t, "report", out, "--format", "parquet", "--figures", "0")
	if is := parquetCodec(t, pq); is != compress.Codecs.Zstd {
		t.Errorf("after report the Parquet file has the compression %v", is)
	}
	wantCompression(t, cellsFile, results.Uncompressed) // report writes no Arrow file
	material := filepath.Join(dir, "material")
	must(t, "replay", out, cellsOf(t, out)[0], "--data", material, "--compression", "lz4")
	if files, err := filepath.Glob(filepath.Join(material, "*.arrow")); err != nil || len(files) == 0 {
		t.Errorf("no Arrow file of the cell's path, %v", err)
	} else {
		wantCompression(t, files[0], results.LZ4)
	}
	must(t, "report", out, "--format", "parquet", "--figures", "0", "--compression", "lz4")
	if is := parquetCodec(t, pq); is != compress.Codecs.Snappy {
		t.Errorf("after report with lz4 the Parquet file has the compression %v", is)
	}
	if o := do(t, "run", grid, "--out", out, "--compression", "gzip"); o.code != command.ExitRefused || !strings.Contains(o.err, "allowed are zstd, lz4, none") {
		t.Errorf("gzip: exit status %d, %s", o.code, o.err)
	}
}

// parquetCodec is that of the first column of a Parquet file.
func parquetCodec(t *testing.T, path string) compress.Compression {
	t.Helper()
	reader, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	chunk, err := reader.MetaData().RowGroup(0).ColumnChunk(0)
	if err != nil {
		t.Fatal(err)
	}
	return chunk.Compression()
}
