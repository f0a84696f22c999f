package results

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
)

type polarsTable struct {
	Rows    int            `json:"rows"`
	Columns []polarsColumn `json:"columns"`
}

type polarsColumn struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Values []any  `json:"values"`
}

var polarsTypes = map[experiment.Type]string{
	experiment.Int:       "DataType(Int64)",
	experiment.Float:     "DataType(Float64)",
	experiment.Text:      "DataType(String)",
	experiment.Time:      "DataType(Datetime(us,UTC))",
	experiment.FloatList: "DataType(List(DataType(Float64)))",
}

// polarsValue is a value as check.mjs compares it.
func polarsValue(value any) any {
	bits := func(x float64) string {
		if math.IsNaN(x) {
			return "nan"
		}
		return fmt.Sprintf("%016x", math.Float64bits(x))
	}
	switch value := value.(type) {
	case int64:
		return strconv.FormatInt(value, 10)
	case time.Time:
		return strconv.FormatInt(value.UnixMicro(), 10)
	case float64:
		return bits(value)
	case []float64:
		list := []string{}
		for _, x := range value {
			list = append(list, bits(x))
		}
		return list
	}
	return value
}

// An independent implementation reads the files: polars, written in Rust, in
// node.
func TestPolarsReadsFiles(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	polars := needs.Polars(t, "testdata/polars")
	tables := selfpaced.Tables()
	for k, compression := range []Compression{ZSTD, "", LZ4, LZ4, Uncompressed, Uncompressed} {
		n := 200 * (k % 2)
		dir := t.TempDir()
		s, err := Open(t.Context(), dir, StoreOptions{Tables: tables, Run: storeRun, Compression: compression})
		if err != nil {
			t.Fatal(err)
		}
		outcomes := outcomesOf(n)
		for part := range slices.Chunk(outcomes, 30) {
			appendAll(t, s, part...)
			flushStore(t, s)
		}
		compactStore(t, s, n)
		closeStore(t, s)
		rows := expectedRows(tables, outcomes)
		expected := map[string]polarsTable{}
		for _, table := range append([]experiment.Table{tables.Cells()}, tables.Further...) {
			want := polarsTable{Rows: len(rows[table.Name])}
			for j, column := range table.Columns {
				values := []any{}
				for _, row := range rows[table.Name] {
					values = append(values, polarsValue(row[j]))
				}
				want.Columns = append(want.Columns, polarsColumn{column.Name, polarsTypes[column.Type], values})
			}
			expected[finalName(table.Name)] = want
		}
		text, err := json.Marshal(expected)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "expected.json")
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "node", filepath.Join(polars, "check.mjs"), dir, path).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Log(strings.TrimSpace(string(out)))
	}
}
