package dataset_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
)

// TestBelowTables names each line below a table, without which the table is read.
func TestBelowTables(t *testing.T) {
	t.Parallel()
	numbers := func(n int) string { return rows(n, "%v,%v,%v", fraction, another, fraction) }
	place := regexp.MustCompile(`line (\d+)(?:, column \d+(?: \(\w+\))?)?: (?:\d+ fields, where line \d+ has \d+: )?".*" seems to be below the table, as totals and notes are; delete the line$`)
	for name, c := range map[string]struct {
		text, below string
		lines       int // that are named
	}{
		"a total":               {"a,b,y\n" + numbers(24), "Total,123,45.5\n", 1},
		"a total alone":         {"a,b,y\n" + numbers(24), "Total,,\n", 1},
		"a total at the right":  {"a,b,y\n" + numbers(24), ",Total,123\n", 1},
		"a total in the target": {"a,b,y\n" + numbers(24), ",,Sum\n", 1},
		"a sum, semicolons":     {"a;b;y\n" + strings.ReplaceAll(numbers(24), ",", ";"), "Summe;1.234;5\n", 1},
		"in total, in German":   {"a;b;y\n" + strings.ReplaceAll(numbers(24), ",", ";"), "Gesamt:;12;\n", 1},
		"a grand total, tabs":   {"a\tb\ty\n" + strings.ReplaceAll(numbers(24), ",", "\t"), "Grand Total\t12\t33\n", 1},
		"an average":            {"a,b,y\n" + numbers(24), "AVERAGE,1.5,2.5\n", 1},
		"a mean in quotes":      {"a,b,y\n" + numbers(24), "\"Mean\",1.5,2.5\n", 1},
		"describe":              {"a,b,y\n" + numbers(24), "count,24,24\nmean,1.5,2.5\nstd,1,2\nmin,0,1\n", 4},
		"rows of psql":          {"a,b,y\n" + numbers(24), "(24 rows)\n", 1},
		"rows of MySQL":         {"a\tb\ty\n" + strings.ReplaceAll(numbers(24), ",", "\t"), "24 rows in set (0.01 sec)\n", 1},
		"a source":              {"a,b,y\n" + numbers(24), "\nSource: World Bank\n", 1},
		"a source with commas":  {"a,b,y\n" + numbers(24), "Source: World Bank, 2020, table 3, p. 9\n", 1},
		"a source and commas":   {"a,b,y\n" + numbers(24), "Source: World Bank,,\n", 1},
		"notes":                 {"a,b,y\n" + numbers(24), "* preliminary,,\nDownloaded 3 May,,\n", 2},
		"an end":                {"a,b,y\n" + numbers(24), "EOF\n", 1},
		"a footnote of words":   {"a,b,y\n" + numbers(24), "* p < 0.05, two-sided\n", 1},
		"late, of blanks":       {strings.ReplaceAll(numbers(300), ",", " "), "Total 12 33\n", 1},
		"below a text column":   {"k,a,y\n" + rows(24, "%v,%v,%v", colour, fraction, another), "(24 rows)\n", 1},
		"below few rows":        {"a,y\n1,2\n3,5\n4,4\n", "Total,8\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := "a.csv"
			if strings.Contains(c.text, "\t") {
				file = "a.tsv"
			}
			path := filepath.Join(t.TempDir(), file)
			read := func(text string) (*dataset.Dataset, error) {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return load(t, path, []string{"encode: onehot", "missing: median"})
			}
			whole, err := read(c.text)
			if err != nil {
				t.Fatal(err)
			}
			_, err = read(c.text + c.below)
			problems := dataset.Each(err)
			if len(problems) != c.lines {
				t.Fatalf("%d problems:\n%v", len(problems), err)
			}
			lines := strings.Split(c.text+c.below, "\n")
			for _, problem := range problems {
				match := place.FindStringSubmatch(problem.Error())
				if match == nil {
					t.Fatalf("%v", problem)
				}
				at, err := strconv.Atoi(match[1])
				if err != nil || at <= strings.Count(c.text, "\n") {
					t.Errorf("line %d of %d", at, strings.Count(c.text, "\n"))
				}
				lines[at-1] = ""
			}
			d, err := read(strings.Join(lines, "\n"))
			if err != nil || d.Digest() != whole.Digest() {
				t.Errorf("without the lines: %v", err)
			}
		})
	}
	// Where a word of totals may be one of a text column, it is said.
	for text, warned := range map[string]bool{
		"k,a,y\n" + rows(24, "%v,%v,%v", colour, fraction, another) + "Total,12,33\n":                            true,
		"k,a,y\n" + rows(24, "%v,%v,%v", colour, fraction, another) + "Average,12,33\n":                          true,
		"k,a,y\n" + rows(24, "%v,%v,%v", word("poor", "average", "good"), fraction, another) + "average,12,33\n": false,
		"k,a,y\n" + rows(24, "%v,%v,%v", word("summer", "totally", "minor"), fraction, another) + "sum2,12,33\n": false,
	} {
		d, err := dataset.Read(t.Context(), strings.NewReader(text), "a.csv", dataset.Options{Encode: "onehot"})
		if err != nil || d.N != 25 || warned != strings.Contains(strings.Join(d.Reading.Warnings, "\n"), "line 26 has") {
			t.Errorf("%q: %v, %+v", text[len(text)-20:], err, d)
		}
	}
	if d, err := dataset.Read(t.Context(), strings.NewReader("a,b,y\n"+numbers(24)+"Total,12,33\n"), "a.csv", dataset.Options{Marks: []string{"Total"}, Missing: "drop"}); err != nil || d.N != 24 {
		t.Errorf("a mark: %v", err)
	}
}
