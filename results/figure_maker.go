package results

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// figureMaker makes the figures of a report from the files in dir.
type figureMaker struct {
	dir     string
	data    *dataFacts
	compute func(ctx context.Context, cell string) (*AgePath, error) // may be nil

	knots  map[string]*cellKnots // of the cells that figures need
	scores map[string]*scorePath
}

// make adds at most n figures to the report, and what keeps others from being
// there to Missing.
func (m *figureMaker) make(ctx context.Context, r *Report, n int) error {
	for _, ranking := range r.Rankings {
		if f := rankFigure(ranking); n > 0 {
			r.Figures = append(r.Figures, f)
			n--
		} else {
			r.LeftOut = append(r.LeftOut, f.Name)
		}
	}
	plans := m.possible(planFigures(r.Tables), r)
	plans, left := chooseFigures(plans, n)
	r.LeftOut = append(r.LeftOut, left...)
	if err := m.read(ctx, plans); err != nil {
		return err
	}
	for _, plan := range plans {
		if err := ctx.Err(); err != nil {
			return err
		}
		figure, missing, err := m.figure(ctx, plan)
		if err != nil {
			return fmt.Errorf("figure %s: %w", plan.name, err)
		}
		if figure == nil {
			r.Missing = append(r.Missing, fmt.Sprintf("figure %s: %s.", plan.name, missing))
			continue
		}
		r.Figures = append(r.Figures, figure)
	}
	return nil
}

// possible drops the plans whose files are not there, and says so.
func (m *figureMaker) possible(plans []figurePlan, r *Report) []figurePlan {
	knots, coefficients := m.has(knotsFile), m.has(coefficientsFile)
	reasons := map[FigureKind]string{}
	if !knots {
		reasons[LearningFigure] = "learning curves: there is no knots.arrow (keep: {knots: true} in the grid makes it)."
	}
	if m.compute == nil && !(knots && coefficients) {
		reasons[PathFigure] = "age paths of the coefficients: the coefficients were not kept " +
			"(keep: {knots: true, coefficients: true} in the grid makes knots.arrow and coefficients.arrow)."
	}
	for _, kind := range figureKinds {
		of := func(p figurePlan) bool { return p.kind == kind }
		if reasons[kind] != "" && slices.ContainsFunc(plans, of) {
			r.Missing = append(r.Missing, reasons[kind])
			plans = slices.DeleteFunc(plans, of)
		}
	}
	return plans
}

// Files of a run that figures are made of.
const (
	cellsFile        = "cells.arrow"
	knotsFile        = "knots.arrow"
	coefficientsFile = "coefficients.arrow"
)

func (m *figureMaker) has(file string) bool {
	_, err := os.Stat(filepath.Join(m.dir, file))
	return err == nil
}

// read reads the knots of every cell that the plans show, in one pass over
// each file.
func (m *figureMaker) read(ctx context.Context, plans []figurePlan) error {
	m.knots = map[string]*cellKnots{}
	m.scores = map[string]*scorePath{}
	withValues := map[string]*cellKnots{}
	for _, plan := range plans {
		switch plan.kind {
		case LearningFigure:
			for i := range plan.rows[0].Entries {
				for _, sample := range plan.rows[0].Entries[i].Sample {
					m.knots[sample.cell.String()] = &cellKnots{}
				}
			}
		case PathFigure:
			if m.compute == nil {
				cell, _ := m.representative(plan)
				withValues[cell] = &cellKnots{values: map[int64][]float64{}}
			}
		}
	}
	for cell, c := range withValues {
		m.knots[cell] = c
	}
	if len(m.knots) == 0 {
		return nil
	}
	if err := readKnots(ctx, filepath.Join(m.dir, knotsFile), m.knots); err != nil {
		return err
	}
	for cell, c := range m.knots {
		if path := newScorePath(c.knots); path != nil {
			m.scores[cell] = path
		}
	}
	if len(withValues) == 0 {
		return nil
	}
	return readCoefficients(ctx, filepath.Join(m.dir, coefficientsFile), withValues)
}

// representative returns the first repeat of the plan's setting for which
// there is a path.
func (m *figureMaker) representative(plan figurePlan) (cell string, repeat int64) {
	method := slices.Index(plan.table.Methods, pathMethod)
	for _, sample := range plan.rows[0].Entries[method].Sample {
		if sample.ok {
			return sample.cell.String(), sample.Repeat
		}
	}
	return "", 0
}

// paths returns the score paths of an entry's cells, by repeat.
func (m *figureMaker) paths(entry *ScoreEntry) []*scorePath {
	var paths []*scorePath
	for _, sample := range entry.Sample {
		if path := m.scores[sample.cell.String()]; sample.ok && path != nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// figure makes the figure of a plan. Without a figure it says what is
// missing.
func (m *figureMaker) figure(ctx context.Context, plan figurePlan) (f *Figure, missing string, err error) {
	switch plan.kind {
	case SensitivityFigure:
		f, missing = sensitivityFigure(plan, m.data), "none of its cells has a score"
	case LearningFigure:
		f, missing = learningFigure(plan, m.data, m.paths), "knots.arrow has no path that all repeats of a method cover"
	case PathFigure:
		return m.pathFigure(ctx, plan)
	}
	return f, missing, nil
}

func (m *figureMaker) pathFigure(ctx context.Context, plan figurePlan) (f *Figure, missing string, err error) {
	cell, repeat := m.representative(plan)
	var path *AgePath
	if m.compute != nil {
		path, err = m.compute(ctx, cell)
	} else {
		if len(m.knots[cell].values) == 0 || len(m.knots[cell].knots) == 0 {
			return nil, "the files have no coefficients of the cell " + cell, nil
		}
		path, err = newAgePath(m.knots[cell])
	}
	if err != nil {
		return nil, "", fmt.Errorf("path of cell %s: %w", cell, err)
	}
	setting, counted := plan.rows[0].Setting, "Features"
	n, ok := m.data.size[setting[DimDataset].Text]
	multipliers := ok && len(path.Values) > 0 && int64(len(path.Values[0])-1) != n.features
	if multipliers {
		counted, path.Names = "Training samples", nil
		for i := range len(path.Values[0]) - 1 {
			path.Names = append(path.Names, fmt.Sprintf("sample %d", i))
		}
	}
	if f, err = NewPathFigure(*path); err != nil {
		return nil, "", fmt.Errorf("cell %s: %w", cell, err)
	}
	f.Name = plan.name
	f.Title = "Age path: " + describe(setting)
	f.Note = fmt.Sprintf("%srepeat %d, %s knots", m.data.sizes(setting[DimDataset].Text), repeat, fmt.Sprint(len(path.Ages)))
	if multipliers {
		f.Y.Text = "multiplier of the sample"
	}
	f.Caption += fmt.Sprintf("Cell %s. %s are counted from 0.", cell, counted)
	return f, "", nil
}
