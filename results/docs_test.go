package results_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/embedding"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/experiment/solverbench"
)

var update = flag.Bool("update", false, "write the tables of columns in docs/results.md")

// nullRule finds what the doc of a column says about null, at its end.
var nullRule = regexp.MustCompile(`^(.*?)[;,] (?:else null|null (.*))$`)

// documentTypes are the types as docs/results.md names them.
var documentTypes = map[experiment.Type]string{
	experiment.Int:       "int64",
	experiment.Float:     "float64",
	experiment.Text:      "text",
	experiment.Time:      "time",
	experiment.FloatList: "list of float64",
}

// columnsDocument is the table of docs/results.md for the columns of a file.
func columnsDocument(t *testing.T, columns []experiment.Column, measures map[string]bool) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n| column | type | meaning | null |\n| --- | --- | --- | --- |\n")
	for _, c := range columns {
		meaning, null := c.Doc, ""
		if m := nullRule.FindStringSubmatch(c.Doc); m != nil {
			meaning, null = m[1], m[2]
			if null == "" {
				null = "otherwise"
			}
		}
		if strings.Contains(meaning, "null") {
			t.Errorf("column %s: its doc says null, but not in a last clause \"; null ...\": %s", c.Name, c.Doc)
		}
		if measures[c.Name] {
			null = strings.TrimSuffix("where the cell failed; "+null, "; ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, documentTypes[c.Type],
			strings.ReplaceAll(meaning, "|", `\|`), strings.ReplaceAll(null, "|", `\|`))
	}
	return b.String()
}

// TestResultsDocument holds docs/results.md against the schemas.
func TestResultsDocument(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "docs", "results.md")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for prefix, tables := range map[string]experiment.Tables{"": selfpaced.Tables(), "embedding ": embedding.Tables(), "solver-benchmark ": solverbench.Tables()} {
		text = documentTables(t, path, text, prefix, tables)
	}
	for _, status := range experiment.Statuses {
		if !strings.Contains(text, fmt.Sprintf("\n| %s | ", status)) {
			t.Errorf("%s does not tell what status %s is", path, status)
		}
	}
	if row := regexp.MustCompile("(?m)^\\| `agepath.schema_version` \\|.*$").FindString(text); !slices.Contains(regexp.MustCompile(`\d+`).FindAllString(row, -1), strconv.Itoa(experiment.SchemaVersion)) {
		t.Errorf("%s does not have the schema version %d in %q", path, experiment.SchemaVersion, row)
	}
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// documentTables returns the text with the tables of a kind, and wants them to be there. The
// mark of its cells has a prefix.
func documentTables(t *testing.T, path, text, prefix string, tables experiment.Tables) string {
	t.Helper()
	measures := map[string]bool{}
	for _, c := range tables.Measures {
		measures[c.Name] = true
	}
	for _, table := range append([]experiment.Table{tables.Cells()}, tables.Further...) {
		name := table.Name
		if name == "cells" {
			name = prefix + name
		} else {
			measures = nil
		}
		mark := fmt.Sprintf("<!-- columns of %s: go test ./results -run TestResultsDocument -update -->\n", name)
		before, rest, ok := strings.Cut(text, mark)
		have, after, closed := strings.Cut(rest, "<!-- end -->")
		if !ok || !closed {
			t.Fatalf("%s has no place for the columns of %s", path, name)
		}
		want := columnsDocument(t, table.Columns, measures) + "\n"
		if have != want && !*update {
			t.Errorf("%s does not say what the schema of %s says; run go test ./results -run TestResultsDocument -update", path, name)
		}
		text = before + mark + want + "<!-- end -->" + after
	}
	return text
}
