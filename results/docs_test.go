package results_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	_ "github.com/agepath/agepath/internal/command" // the kinds
)

var update = flag.Bool("update", false, "write the tables of columns in the documents")

// nullRule finds what the doc of a column says about null, at its end.
var nullRule = regexp.MustCompile(`^(.*?)[;,] (?:else null|null (.*))$`)

// documentTypes are the types as documents name them.
var documentTypes = map[experiment.Type]string{
	experiment.Int:       "int64",
	experiment.Float:     "float64",
	experiment.Text:      "text",
	experiment.Time:      "time",
	experiment.FloatList: "list of float64",
}

// columnsDocument is the table of the columns of a file.
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

// TestResultsDocument holds the documents against the schemas: one of them has the columns of each
// table of each kind.
func TestResultsDocument(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	for _, kind := range experiment.Registrations() {
		documentTables(t, texts, kind)
	}
	path := filepath.Join("..", "docs", "results.md")
	text := texts[path]
	for _, status := range experiment.Statuses {
		if !strings.Contains(text, fmt.Sprintf("\n| %s | ", status)) {
			t.Errorf("%s does not tell what status %s is", path, status)
		}
	}
	if !*update {
		return
	}
	for path, text := range texts {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// documentTables changes the texts of documents to have the tables of a kind, and wants them to be
// there.
func documentTables(t *testing.T, texts map[string]string, kind *experiment.Registration) {
	t.Helper()
	tables := kind.Tables()
	measures := map[string]bool{}
	for _, c := range tables.Measures {
		measures[c.Name] = true
	}
	for _, table := range append([]experiment.Table{tables.Cells()}, tables.Further...) {
		if table.Name != "cells" {
			measures = nil
		}
		mark := fmt.Sprintf("<!-- columns of %s %s: go test ./results -run TestResultsDocument -update -->\n", kind.Name(), table.Name)
		found := 0
		for path, text := range texts {
			before, rest, ok := strings.Cut(text, mark)
			have, after, closed := strings.Cut(rest, "<!-- end -->")
			if !ok || !closed {
				continue
			}
			found++
			want := columnsDocument(t, table.Columns, measures) + "\n"
			if have != want && !*update {
				t.Errorf("%s does not say what the schema of %s says; run go test ./results -run TestResultsDocument -update", path, table.Name)
			}
			texts[path] = before + mark + want + "<!-- end -->" + after
		}
		if found != 1 {
			t.Errorf("%d documents have a place for the columns of %s, want one: %s", found, table.Name, mark)
		}
	}
}
