package analysis

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/layout"
)

// PaperTable compares a published table with the scores of a run.
type PaperTable struct {
	Layout *layout.Layout
	Table  *layout.PublishedTable
	Rows   []*PaperRow
	Words  []string // see [experiment.ScoredSection]

	otherwise []string // columns that may differ
}

// PaperRow compares a published number with the run's.
type PaperRow struct {
	Published *layout.PublishedRow
	Score     layout.PublishedScore
	Runs      int            // of the published number
	Setting   layout.Setting // the published row's if the run has none
	Label     string         // with settings if there are several
	Method    string         // "" if missing
	Cells     int            // 0 if missing
	Ours      Summary        // at the best test age
	Validated Summary        // at the age chosen by validation
	Floor     Summary        // at its best test score
}

// Key identifies a published number.
func (r *PaperRow) Key() string { return fmt.Sprint(*r.Published, r.Score.Method) }

func (r *PaperRow) Difference() float64 {
	return r.Ours.Mean - r.Score.Mean
}

// Errors returns the difference in units of its standard error,
//
//	√(s²/n + S²/N),
//
// with s and n the run's standard deviation and number of scores, S and N the published ones. The
// result is NaN if the run has no standard deviation, and infinite if both deviations are 0.
func (r *PaperRow) Errors() float64 {
	if math.IsNaN(r.Ours.Std) {
		return math.NaN()
	}
	difference := r.Difference()
	if difference == 0 {
		return 0
	}
	return difference / math.Sqrt(r.Ours.Std*r.Ours.Std/float64(r.Ours.N)+r.Score.Std*r.Score.Std/float64(r.Runs))
}

func (r *PaperRow) Within() bool { return math.Abs(r.Errors()) <= 2 }

// paperGrid matches the name of a grid that reproduces one table of the paper.
var paperGrid = regexp.MustCompile(`^(table\d\d)(\D.*)?$`)

// addPaper adds the table that the grid is named after (table09, table09-honest), or all that share
// a row with the run.
func (r *Run) addPaper(m *results.Manifest) error {
	tables, err := r.Layout.Published()
	if err != nil {
		return err
	}
	named := paperGrid.FindStringSubmatch(strings.ToLower(r.Name))
	rows := map[string][]rankedRow{} // by the catalog's name
	for _, table := range r.Tables {
		most := mostTraining(table)
		for _, row := range table.Rows {
			data := row.Setting[layout.Dataset].Text
			if row.Setting[r.Layout.At("n_train")].Number < most[data] {
				continue // a sample of the data
			}
			name := catalogName(data)
			rows[name] = append(rows[name], rankedRow{table, row})
		}
	}
	var words, otherwise []string
	if section := sectionOf(m); section != nil {
		words, otherwise = section.BesidePublished()
	}
	for _, table := range tables {
		if named != nil && table.Name != named[1] {
			continue
		}
		p := &PaperTable{Layout: r.Layout, Table: table, Words: words, otherwise: otherwise}
		found := false
		for i := range table.Rows {
			row := &table.Rows[i]
			found = p.add(row, rows[catalogName(row.Setting[layout.Dataset].Text)]) || found
		}
		if found || named != nil {
			r.Paper = append(r.Paper, p)
		}
	}
	if len(r.Paper) == 0 {
		r.Missing = append(r.Missing, "no row of the run has the data set, noise and parameters of a row in the paper's tables, so none is shown.")
	}
	return nil
}

// catalogName also recognizes the readings of a data set; unknown names are unchanged.
func catalogName(name string) string {
	if entry, ok := dataset.Lookup(name); ok {
		return cmp.Or(entry.Reading, entry.Name)
	}
	return name
}

// add pairs a published row with the run's matching rows, and reports whether there are any.
func (p *PaperTable) add(row *layout.PublishedRow, candidates []rankedRow) bool {
	found := false
	for _, score := range row.Scores {
		matched := false
		for _, c := range candidates {
			if !p.matches(row, c) {
				continue
			}
			for j, label := range MethodLabels(c.table.Methods) {
				if entry := &c.row.Entries[j]; MethodName(c.table.Methods[j]) == score.Method && entry.Cells > 0 {
					p.Rows = append(p.Rows, &PaperRow{row, score, p.Table.Runs, c.row.Setting, label, c.table.Methods[j], entry.Cells, entry.Summary[TestAtBestTest], entry.Summary[TestAtBestValidation], c.row.floor(TestAtBestTest)})
					matched = true
				}
			}
		}
		if !matched {
			label := MethodLabel(score.Method)
			p.Rows = append(p.Rows, &PaperRow{row, score, p.Table.Runs, row.Setting, label, "", 0, Summarize(nil), Summarize(nil), Summarize(nil)})
		}
		found = found || matched
	}
	return found
}

// matches ignores the data set, p.otherwise and parameters chosen by select: best.
func (p *PaperTable) matches(row *layout.PublishedRow, of rankedRow) bool {
	l := of.table.Layout
	stated, have := row.Setting, of.row.Setting
	for _, column := range p.otherwise {
		stated[l.At(column)] = layout.Value{}
	}
	for d, value := range stated {
		chosen := of.table.Select != experiment.SelectAll && have[d].IsNull() && slices.Contains(l.Chosen(), layout.Dimension(d))
		switch {
		case layout.Dimension(d) == layout.Dataset || value.IsNull() || chosen:
		case slices.ContainsFunc(l.Extents, func(e layout.Extent) bool { return e.Dimension == layout.Dimension(d) }) && have[d].IsNull(): // one value in the whole run
		case value.IsNumber:
			if !have[d].Equal(value.Number) {
				return false
			}
		case have[d].Text != value.Text:
			return false
		}
	}
	return true
}

// Coverage describes the share of the table in the run.
func (p *PaperTable) Coverage() string {
	have := map[string]bool{}
	for _, row := range p.Rows {
		have[row.Key()] = have[row.Key()] || row.Ours.N > 0
	}
	n := 0
	for _, found := range have {
		if found {
			n++
		}
	}
	words := fmt.Sprintf("Of the table's %d numbers %d are in this run.", len(have), n)
	if within, compared := p.Agreement(); compared > 0 {
		words += fmt.Sprintf(" Within two standard errors are %d of %d that can be compared, %.0f %%.",
			within, compared, 100*float64(within)/float64(compared))
	}
	return words
}

// Agreement counts the published numbers that the run has with a standard deviation (compared), and
// those within two standard errors of the run's mean (within).
func (p *PaperTable) Agreement() (within, compared int) {
	agrees := map[string]bool{}
	for _, row := range p.Rows {
		if !math.IsNaN(row.Errors()) {
			agrees[row.Key()] = agrees[row.Key()] || row.Within()
		}
	}
	for _, yes := range agrees {
		if yes {
			within++
		}
	}
	return within, len(agrees)
}
