package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/experiment/selfpaced/published"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
)

// PaperTable compares a published table with the scores of a run.
type PaperTable struct {
	Table *published.Table
	Rows  []*PaperRow
	Words []string // how the run differs from the published ones

	otherwise []layout.Dimension // that may differ
}

// PaperRow compares a published number with the run's.
type PaperRow struct {
	Published *published.Row
	Score     published.Score
	Setting   layout.Setting   // the published row's if the run has none
	Label     string           // with settings if there are several
	Method    string           // "" if missing
	Cells     int              // 0 if missing
	Ours      analysis.Summary // at the best test age
	Floor     analysis.Summary // at its best test score
}

func (r *PaperRow) Key() string { return fmt.Sprint(*r.Published, r.Score.Method) }

func (r *PaperRow) Difference() float64 { return r.Ours.Mean - r.Score.Mean }

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
	return difference / math.Sqrt(r.Ours.Std*r.Ours.Std/float64(r.Ours.N)+r.Score.Std*r.Score.Std/published.Runs)
}

func (r *PaperRow) Within() bool { return math.Abs(r.Errors()) <= 2 }

// paperGrid matches the name of a grid that reproduces one table of the paper.
var paperGrid = regexp.MustCompile(`^(table\d\d)(\D.*)?$`)

// PaperTables returns the table that the grid is named after (table09, table09-honest), or all that
// share a row with the run.
func PaperTables(r *analysis.Run) ([]*PaperTable, error) {
	tables, err := published.Tables()
	if err != nil {
		return nil, err
	}
	named := paperGrid.FindStringSubmatch(strings.ToLower(r.Name))
	rows := map[string][]analysis.EntryAt{} // without a method, by the catalog's name
	for _, table := range r.Tables {
		most := map[string]float64{} // training rows, 0 if not stated
		for _, s := range table.Settings() {
			most[s[selfpaced.DimDataset].Text] = max(most[s[selfpaced.DimDataset].Text], s[selfpaced.DimTrain].Number)
		}
		for _, row := range table.Rows {
			data := row.Setting[selfpaced.DimDataset].Text
			if row.Setting[selfpaced.DimTrain].Number < most[data] {
				continue // a sample of the data
			}
			name := catalogName(data)
			rows[name] = append(rows[name], analysis.EntryAt{Table: table, Row: row})
		}
	}
	var words []string
	var otherwise []layout.Dimension
	if section, ok := r.Data.Section.(*selfpaced.Section); ok {
		words, otherwise = section.BesidePublished()
	}
	var list []*PaperTable
	for _, table := range tables {
		if named != nil && table.Name() != named[1] {
			continue
		}
		p := &PaperTable{Table: table, Words: words, otherwise: otherwise}
		found := false
		for i := range table.Rows {
			row := &table.Rows[i]
			found = p.add(row, rows[catalogName(row.Dataset)]) || found
		}
		if found || named != nil {
			list = append(list, p)
		}
	}
	return list, nil
}

// catalogName also recognizes the readings of a data set; unknown names are unchanged.
func catalogName(name string) string {
	if entry, ok := dataset.Lookup(name); ok {
		return cmp.Or(entry.Reading, entry.Name)
	}
	return name
}

// Ages of the paper's experiments.
const (
	paperAgeMin  = 0.1
	paperAgeMax  = 20
	paperAgeStep = 0.5
)

// setting is null in what the row does not state.
func (p *PaperTable) setting(r *published.Row) layout.Setting {
	number := func(x float64) layout.Value {
		if math.IsNaN(x) {
			return layout.Value{}
		}
		return layout.Value{Number: x, IsNumber: true}
	}
	return layout.Setting{
		selfpaced.DimDataset: {Text: r.Dataset}, selfpaced.DimModel: {Text: r.Model}, selfpaced.DimKernel: {Text: r.Kernel},
		selfpaced.DimRegularizer: {Text: p.Table.Regularizer}, selfpaced.DimRegularizerParam: number(r.MixtureGamma),
		selfpaced.DimAgeMin: number(paperAgeMin), selfpaced.DimAgeMax: number(paperAgeMax), selfpaced.DimAgeStep: number(paperAgeStep),
		selfpaced.DimNoiseLevel: number(r.Noise), selfpaced.DimC: number(r.C), selfpaced.DimAlpha: number(r.Alpha), selfpaced.DimKernelGamma: number(r.KernelGamma),
	}
}

// add pairs a published row with the run's matching rows, and reports whether there are any.
func (p *PaperTable) add(row *published.Row, candidates []analysis.EntryAt) bool {
	found := false
	none, stated := analysis.Summarize(nil), p.setting(row)
	for _, score := range row.Scores {
		matched := false
		for _, c := range candidates {
			if !p.matches(stated, c) {
				continue
			}
			floor := none
			if c.Row.Floor != nil {
				floor = scaled(c.Row.Floor)
			}
			for j, label := range analysis.MethodLabels(c.Table.Methods) {
				if entry := &c.Row.Entries[j]; analysis.MethodName(c.Table.Methods[j]) == score.Method && entry.Cells > 0 {
					p.Rows = append(p.Rows, &PaperRow{row, score, c.Row.Setting, label, c.Table.Methods[j], entry.Cells, scaled(entry), floor})
					matched = true
				}
			}
		}
		if !matched {
			p.Rows = append(p.Rows, &PaperRow{Published: row, Score: score, Setting: stated, Label: analysis.MethodLabel(score.Method), Ours: none, Floor: none})
		}
		found = found || matched
	}
	return found
}

// scaled summarizes the best test scores of the scaled target, which the paper has.
func scaled(entry *analysis.ScoreEntry) analysis.Summary {
	var values []float64
	for i := range entry.Sample {
		values = append(values, entry.Sample[i].Score[analysis.TestAtBestTest]/entry.Sample[i].Unit)
	}
	return analysis.Summarize(values)
}

// matches ignores the data set, p.otherwise and parameters chosen by select: best.
func (p *PaperTable) matches(stated layout.Setting, of analysis.EntryAt) bool {
	l, have := of.Table.Layout, of.Row.Setting
	for d, value := range stated.Without(p.otherwise...) {
		chosen := of.Table.Select != experiment.SelectAll && have[d].IsNull() && slices.Contains(l.Chosen(), layout.Dimension(d))
		switch {
		case layout.Dimension(d) == selfpaced.DimDataset || value.IsNull() || chosen:
		case slices.ContainsFunc(l.Extents, func(e layout.Extent) bool { return e.Dimension == layout.Dimension(d) }) && have[d].IsNull(): // one value in the whole run
		case value.IsNumber:
			if !have[d].IsNumber || math.Abs(have[d].Number-value.Number) > 1e-9*math.Abs(value.Number) {
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
