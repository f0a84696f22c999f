package report

import (
	"fmt"

	"github.com/agepath/agepath/results/analysis"
)

// section is a part of a report: tables under a title.
type section struct {
	title  string
	name   string // part of labels and links
	sheets []*sheet
}

// sections lays the tables of a report out, in the order in which every format
// shows them, when first asked.
func (r *Report) sections() []section {
	if r.laidOut == nil {
		r.laidOut = r.layOut()
	}
	return r.laidOut
}

func (r *Report) layOut() []section {
	list := []section{}
	if r.hasChosen() {
		list = append(list, section{title: "Chosen by validation", name: "by-validation", sheets: r.leadSheets()})
	}
	if len(r.Paper) > 0 {
		s := section{title: "Beside the paper", name: "paper"}
		for _, p := range r.Paper {
			s.sheets = append(s.sheets, paperSheet(p))
		}
		list = append(list, s)
	}
	for i, table := range r.Tables {
		s := section{title: r.tableTitle("Scores", i), name: fmt.Sprintf("scores-%d", i+1)}
		for score := range analysis.SelectionBias {
			if score == analysis.TestAtBestTest || table.Has(score) { // a grid may do without a validation part
				s.sheets = append(s.sheets, scoreSheet(table, score))
			}
		}
		s.sheets = append(s.sheets, selectionSheet(table))
		list = append(list, s)
	}
	if len(r.Absent) > 0 {
		list = append(list, section{title: "Data sets skipped", name: "skipped", sheets: []*sheet{absentSheet(r.Absent)}})
	}
	if len(r.Selected) > 0 {
		list = append(list, section{title: "Chosen parameters", name: "chosen", sheets: []*sheet{selectedSheet(r.Selected)}})
	}
	if len(r.Rankings) > 0 {
		s := section{title: "Over data sets", name: "ranks"}
		for _, ranking := range r.Rankings {
			s.sheets = append(s.sheets, rankSheet(ranking))
		}
		list = append(list, s)
	}
	compared := r.Compared()
	for i := range compared {
		of := section{title: r.tableTitle("Comparisons", i), name: fmt.Sprintf("compared-%d", i+1)}
		for _, score := range []analysis.Score{analysis.TestAtBestValidation, analysis.TestAtBestTest} {
			if s := comparedSheet(&compared[i], score); len(s.rows) > 0 {
				of.sheets = append(of.sheets, s)
			}
		}
		if len(of.sheets) > 0 {
			list = append(list, of)
		}
	}
	if sheets := r.failureSheets(); len(sheets) > 0 {
		list = append(list, section{title: "Incomplete and failed cells", name: "failures", sheets: sheets})
	}
	return list
}

// tableTitle numbers a title where there are several tables.
func (r *Report) tableTitle(title string, i int) string {
	if len(r.Tables) == 1 {
		return title
	}
	return fmt.Sprintf("%s %d: %s", title, i+1, r.Tables[i].Metric.Word())
}
