package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestByHand reads files whose numbers are written in other ways, or names what a hand has to write. Each comes with the text that the
// message asks for, which is the data set.
func TestByHand(t *testing.T) {
	t.Parallel()
	const plain = "units, currencies, dates and other marks are not read: write plain numbers"
	count := func(i int) any { return i }
	squares := func(i int) any { return i * i % 37 }
	// column is a table with a column between two others, and the same with the numbers that it means.
	column := func(written, meant string) [2]string {
		var bad, good strings.Builder
		for i := range 40 {
			with := func(format string) string {
				return strings.ReplaceAll(strings.ReplaceAll(format, "{i}", fmt.Sprint(i+1)), "{q}", fmt.Sprint(i*7%10))
			}
			fmt.Fprintf(&bad, "%v,%s,%v\n", fraction(i), with(written), another(i))
			fmt.Fprintf(&good, "%v,%s,%v\n", fraction(i), with(meant), another(i))
		}
		return [2]string{"a,v,y\n" + bad.String(), "a,v,y\n" + good.String()}
	}
	table := rows(20, "%v,%v,%v", fraction, another, squares)
	names := "a,b,y\n"
	twice := names + table + table
	for name, c := range map[string]struct {
		texts [2]string
		says  string // "" where it is read at once
	}{
		"lists of two values":      {column(`"[{i}, {q}]"`, "{i}"), plain},
		"pairs":                    {column(`"({i}.{q}, 13.{q})"`, "{i}.{q}"), plain},
		"kilograms":                {column("{i}.{q} kg", "{i}.{q}"), plain},
		"centimetres":              {column("{i}.{q}cm", "{i}.{q}"), plain},
		"square metres":            {column("{i} m²", "{i}"), plain},
		"degrees":                  {column("{i}.{q} °C", "{i}.{q}"), plain},
		"millions":                 {column("{i}.{q}M", "{i}.{q}"), plain},
		"pounds":                   {column("£{i}.{q}0", "{i}.{q}"), plain},
		"euros":                    {column("{i}.{q} €", "{i}.{q}"), plain},
		"Swiss francs":             {column("CHF {i}.{q}0", "{i}.{q}"), plain},
		"dollars with thousands":   {column(`"$ {i},00{q}.50"`, "{i}00{q}.50"), plain},
		"percent with a blank":     {column("{i}.{q} %", "{i}.{q}"), plain},
		"negative in parentheses":  {column("({i}.{q})", "-{i}.{q}"), plain},
		"a minus behind":           {column("{i}.{q}-", "-{i}.{q}"), plain},
		"single quotes":            {column("'{i}.{q}'", "{i}.{q}"), plain},
		"underscores":              {column("{i}_00{q}", "{i}00{q}"), plain},
		"lakhs":                    {column(`"{i},00,00{q}"`, "{i}0000{q}"), plain},
		"ranges":                   {column("{i}-{i}{q}", "{i}"), plain},
		"fractions":                {column("{i}/8", "{i}"), plain},
		"days":                     {column("2024-{i}-1{q}", "{i}"), plain},
		"days with points":         {column("1{q}.{i}.2024", "{i}"), plain},
		"days with slashes":        {column("{i}/1{q}/24", "{i}"), plain},
		"times":                    {column("{i}:3{q}", "{i}"), plain},
		"durations":                {column("00:{i}:1{q}.5", "{i}"), plain},
		"days and times":           {column("2024-05-{i} 12:0{q}:00", "{i}"), plain},
		"line breaks behind":       {column("\"{i}.{q}\n\"", "{i}.{q}"), ""},
		"line breaks before":       {column("\"\r\n{i}.{q}\"", "{i}.{q}"), ""},
		"blanks that do not break": {column("\u00a0{i}.{q}\u00a0", "{i}.{q}"), ""},
		"thin blanks":              {column("{i}.{q}\u2009", "{i}.{q}"), ""},
		"a plus":                   {column("+{i}.{q}e+0", "{i}.{q}"), ""},
		"two marks of UTF-8":       {[2]string{"\ufeff\ufeff" + twice, twice}, ""},
		"joined files":             {[2]string{names + table + names + table, twice}, "line 22: repeats the names of line 1, as files that were joined do; delete the line"},
		"joined with marks":        {[2]string{"\ufeff" + names + table + "\ufeff" + names + table, twice}, "line 22: repeats the names of line 1"},
		"types below names":        {[2]string{names + "float,float,float\n" + table, names + table}, "line 2: text below the names, as units and types are; delete the line"},
		"units of one kind":        {[2]string{names + "mm,mm,kg\n" + table, names + table}, "line 2: text below the names"},
		"lines of commas below":    {[2]string{names + table + ",,\n,,\n", names + table}, ""},
		"lines of quotes below":    {[2]string{names + table + "\"\",\"\",\"\"\n", names + table}, "missing values"},
		"years as names":           {[2]string{"k,1990,1991,1992\n" + rows(12, "%v,%v,%v,%v", word("1", "2"), fraction, another, another), "k,1990,1991,1992\n" + rows(12, "%v,%v,%v,%v", word("1", "2"), fraction, another, another)}, ""},
		"mixed line ends":          {[2]string{"a,b,y\r\n" + table + strings.ReplaceAll(table, "\n", "\r"), twice}, ""},
		"Latin 1":                  {[2]string{"gr\xf6\xdfe,b,y\n" + table, "größe,b,y\n" + table}, "iconv -f CP1252 -t UTF-8 converts a file of older Windows programs"},
		"JSON":                     {[2]string{`[{"a": 1, "y": 2}, {"a": 3, "y": 4}]`, "a,y\n" + rows(9, "%v,%v", count, squares)}, "JSON: allowed is UTF-8 text"},
		"lines of JSON":            {[2]string{"{\"a\": 1, \"y\": 2}\n{\"a\": 3, \"y\": 5}\n", "a,y\n" + rows(9, "%v,%v", count, squares)}, "to_csv(\"x.csv\", index=False) writes a table that is read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.csv")
			var digests []string
			for i, text := range c.texts {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				d, err := load(t, path, nil)
				switch {
				case i == 0 && c.says != "":
					if err == nil || !strings.Contains(err.Error(), c.says) {
						t.Errorf("%v, want %q", err, c.says)
					}
				case err != nil:
					t.Errorf("%q: %v", text[:40], err)
				default:
					digests = append(digests, d.Digest())
				}
			}
			if len(digests) == 2 && digests[0] != digests[1] {
				t.Error("another data set")
			}
		})
	}
}
