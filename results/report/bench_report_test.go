package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/testrun"
	"github.com/agepath/agepath/results"
)

// BenchmarkWriteMillion makes the report of 1,000,000 cells: 12,500 settings,
// four methods, 20 repeats. Allowed are 20 s and 1 GB, which "peak-MB" is on
// Linux: the resident memory of the whole process while it makes the report.
func BenchmarkWriteMillion(b *testing.B) {
	dir := b.TempDir()
	writeMillion(b, dir)
	debug.FreeOSMemory()
	resetPeak(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := os.RemoveAll(filepath.Join(dir, results.ReportFolder)); err != nil {
			b.Fatal(err)
		}
		if _, err := Write(context.Background(), dir, Options{Formats: Formats}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(peakMemory(b)/1e6, "peak-MB")
}

// resetPeak lowers the process's peak of resident memory to what it is.
func resetPeak(b *testing.B) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Logf("the peak includes what came before: %v", err)
	}
}

// peakMemory returns the process's peak of resident memory in bytes, 0 where it
// is not known.
func peakMemory(b *testing.B) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Logf("the peak is not known: %v", err)
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kilobytes, err := strconv.ParseFloat(strings.Fields(rest + " ?")[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return 1024 * kilobytes
}

// writeMillion writes cells.arrow with 1,000,000 rows in the order of their
// hashes.
func writeMillion(t testing.TB, dir string) {
	t.Helper()
	const settings, repeats = 12_500, 20
	table := selfpaced.Tables().Cells()
	batch := experiment.Batch{}
	values := make([]any, len(table.Columns))
	methods := []string{"original", "acs", "mospl", "gaga"}
	const n = settings * repeats * 4
	for k := range n {
		i := k * 7_919 % n // 7919 is prime: every cell once, scattered
		method, rest := methods[i%4], i/4
		repeat, setting := rest%repeats+1, rest/repeats
		score := 0.2 + float64(setting%100)/500 + float64(i%4)/100 + float64((repeat*37+setting)%11)/1000
		row := testrun.Row{
			"cell": fmt.Sprintf("%032x", uint64(k)*0x9E3779B97F4A7C15), "method": method, "repeat": repeat,
			"dataset": fmt.Sprintf("set%d", setting%10), "alpha": 0.001 * float64(setting/10%125+1),
			"noise_kind": "gaussian", "noise_level": 0.1 * float64(setting/1250%5+1),
			"test_at_best_test": score, "test_at_best_validation": score + 0.01, "test_at_end": score + 0.02,
		}
		row["regularizer"] = []string{"linear", "mixture"}[setting/6250]
		for j, column := range table.Columns {
			value, ok := row[column.Name]
			if !ok {
				value = testrun.Cell(column)
			}
			values[j] = value
		}
		if err := batch.Append(table.Columns, values...); err != nil {
			t.Fatal(err)
		}
	}
	if err := results.WriteTable(filepath.Join(dir, "cells.arrow"), table, "million", &batch, results.ZSTD); err != nil {
		t.Fatal(err)
	}
}
