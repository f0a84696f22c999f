// Package evaluation has the sheets, files and figures that only runs of the self-paced kind have.
// Reports show them in programs that import it.
package evaluation

import (
	"context"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

func init() { //nolint:gochecknoinits // a program knows the kinds that it imports
	analysis.RegisterOwn(selfpaced.Name, analysis.Own{Part: own, Remarks: alike, Choose: chooseAgain})
}

func own(_ context.Context, r *analysis.Run) (*layout.Part, error) {
	o := &layout.Part{}
	var tables []*PaperTable
	if r.Paper {
		var err error
		if tables, err = PaperTables(r); err != nil {
			return nil, err
		}
		if len(tables) == 0 {
			r.Missing = append(r.Missing, "no row of the run has the data set, noise and parameters of a row in the paper's tables, so none is shown.")
		}
	}
	addPaper(o, tables)
	addPaths(o, r)
	for _, table := range r.Tables {
		addTimes(o, r, table)
		addReaches(o, table)
	}
	return o, nil
}

func addFigure(o *layout.Part, f layout.FigurePlan, names ...string) {
	f.Name = prose.Slug(append([]string{f.Kind}, names...)...)
	o.Figures = append(o.Figures, f)
}
