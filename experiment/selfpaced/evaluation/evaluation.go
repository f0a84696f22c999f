// Package evaluation has the sheets, files and figures that only runs of the self-paced kind have.
// Reports show them in programs that import it.
package evaluation

import (
	"context"
	"fmt"
	"maps"
	"slices"

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
	return o, nil
}

// alike counts settings in which most ages have the model of the age before, and describes the
// worst.
func alike(tables []*analysis.ScoreTable) (said []string) {
	settings, alike, worst := map[string]int{}, map[string]int{}, map[string]*analysis.RepeatScore{}
	for at := range analysis.EachEntry(tables...) {
		fewest := fewestFits(at.Entry.Sample)
		if fewest == nil {
			continue
		}
		label := analysis.MethodLabels(at.Table.Methods)[at.Method]
		settings[label]++
		if 2*fewest.Fits < fewest.Points {
			alike[label]++
			if least := worst[label]; least == nil || fewest.Fits*least.Points < least.Fits*fewest.Points {
				worst[label] = fewest
			}
		}
	}
	for _, label := range slices.Sorted(maps.Keys(worst)) {
		said = append(said, fmt.Sprintf("%s: %s at %s, and fewer than half of the ages in %d of %s.", label,
			prose.Plural(int(worst[label].Fits), "different fit"), prose.Plural(int(worst[label].Points), "age"),
			alike[label], prose.Plural(settings[label], "setting")))
	}
	return said
}

// fewestFits minimizes the share of ages with a model of their own.
func fewestFits(sample []analysis.RepeatScore) (fewest *analysis.RepeatScore) {
	for k := range sample {
		if s := &sample[k]; s.Points > 0 && (fewest == nil || s.Fits*fewest.Points < fewest.Fits*s.Points) {
			fewest = s
		}
	}
	return fewest
}
