package selfpaced

import (
	"math"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/selfpaced/published"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// Ages of the paper's experiments.
const (
	paperAgeMin  = 0.1
	paperAgeMax  = 20
	paperAgeStep = 0.5
)

var publishedColumns = []layout.SheetColumn{
	{Head: "data set"}, {Head: "model"}, {Head: "noise", Right: true}, {Head: "mixture γ", Right: true}, {Head: "kernel γ", Right: true},
	{Head: "C", Right: true}, {Head: "α", Right: true},
}

func publishedTables() ([]*layout.PublishedTable, error) {
	tables, err := published.Tables()
	if err != nil {
		return nil, err
	}
	list := make([]*layout.PublishedTable, len(tables))
	for i, table := range tables {
		list[i] = &layout.PublishedTable{
			Name: table.Name(), Number: table.Number, Title: table.Title, Source: published.Source, Runs: published.Runs,
			Always: table.Regularizer + " regularizer", Columns: publishedColumns,
			Stated: []layout.Dimension{DimDataset, DimModel, DimKernel, DimRegularizer, DimRegularizerParam},
		}
		for _, row := range table.Rows {
			list[i].Rows = append(list[i].Rows, publishedRow(table.Regularizer, &row))
		}
	}
	return list, nil
}

func publishedRow(regularizer string, r *published.Row) layout.PublishedRow {
	number := func(x float64) layout.Value {
		if math.IsNaN(x) {
			return layout.Value{}
		}
		return layout.Value{Number: x, IsNumber: true}
	}
	text := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return prose.Short(x)
	}
	row := layout.PublishedRow{Notes: r.Notes, Setting: layout.Setting{
		DimDataset: {Text: r.Dataset}, DimModel: {Text: r.Model}, DimKernel: {Text: r.Kernel},
		DimRegularizer: {Text: regularizer}, DimRegularizerParam: number(r.MixtureGamma),
		DimAgeMin: number(paperAgeMin), DimAgeMax: number(paperAgeMax), DimAgeStep: number(paperAgeStep),
		DimNoiseLevel: number(r.Noise), DimC: number(r.C), DimAlpha: number(r.Alpha), DimKernelGamma: number(r.KernelGamma),
	}}
	row.Words = []string{r.Dataset, modelText(row.Setting), text(r.Noise), text(r.MixtureGamma), text(r.KernelGamma), text(r.C), text(r.Alpha)}
	for _, s := range r.Scores {
		row.Scores = append(row.Scores, layout.PublishedScore(s))
	}
	return row
}

func (s *Section) BesidePublished() (words, otherwise []string) {
	if slices.ContainsFunc(s.Sweeps, func(s Sweep) bool { return s.Settings.Protocol == dataset.HeldOut }) {
		words = append(words, "This run does not follow the paper's protocol (protocol: paper in the grid), so that differences are to be expected.")
	}
	if some, _ := s.scripted(); some { // the scripts' machines have their own kernel, whatever the paper states
		otherwise = []string{dimensionInfos[DimKernel].Column, dimensionInfos[DimKernelGamma].Column}
		words = append(words, "This run follows the published scripts (protocol: scripts in the grid): published rows are shown next to it whatever they state of "+
			strings.Join(otherwise, " and ")+", and errors of regression are mean absolute ones.")
	}
	return words, otherwise
}
