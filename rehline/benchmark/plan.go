package benchmark

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

type planned struct {
	*experiment.PlannedData

	data Data
	any  bool // generated: classes or targets, as the task needs
}

func (d *planned) fits(t *Task) bool {
	return d.any || gridfile.Lookup(taskTable, t.Name).of == d.Task
}

func (s *Section) Plan(ctx context.Context, p *experiment.Planner) ([]experiment.Group, error) {
	if len(s.Data)*len(s.Tasks)*len(s.Factors)*len(s.Solvers) > gridfile.MaxCombinations {
		p.Problem(s.place, "more than %d combinations of entries of data, tasks, c and solvers", gridfile.MaxCombinations)
		return nil, nil
	}
	solvers := s.solvers(ctx, p)
	var groups []experiment.Group
	for i := range s.Data {
		d, err := s.load(ctx, p, &s.Data[i])
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("planning the grid %s: %w", p.Grid.Name, err)
		}
		if err != nil {
			p.Problem(s.Data[i].place, "%v", err)
		}
		if d == nil {
			continue
		}
		if !slices.ContainsFunc(s.Tasks, func(t Task) bool { return d.fits(&t) }) {
			p.Problem(s.Data[i].place, "%s is a data set of %s, for which the grid has no task", d.Name, d.Task)
		}
		for _, task := range s.Tasks {
			if !d.fits(&task) {
				continue
			}
			for _, f := range s.Factors {
				for _, of := range solvers {
					c := plannedCell{set: d, regime: f.text, Cell: Cell{
						Kind: Name, Version: version, Data: d.data, Task: task, C: f.of(d.N), Solver: of, Budget: s.Budget,
					}}
					groups = append(groups, c.group())
				}
			}
		}
	}
	return groups, nil
}

// solvers reads commands' files; unreadable ones become problems.
func (s *Section) solvers(ctx context.Context, p *experiment.Planner) []Solver {
	var list []Solver
	for _, e := range s.Solvers {
		of := Solver{Name: e.name, Version: e.version, family: e.family}
		if e.command != nil {
			program, ok := p.Program(ctx, e.place, e.name, e.command, e.read)
			if !ok {
				continue
			}
			text, err := program.Canonical()
			if err != nil {
				p.Problem(e.place, "%v", err)
				continue
			}
			of.Command = text
			if e.read == nil {
				p.Command(e.name)
			}
		}
		list = append(list, of)
	}
	return list
}

// load shows errors before the first cell; nil without an error is an absent set that may be
// skipped.
func (s *Section) load(ctx context.Context, p *experiment.Planner, from *dataSet) (*planned, error) {
	if g := from.generated; g != nil {
		sum := sha256.Sum256(gridfile.JSON(g))
		d := &planned{data: Data{Generated: g}, any: true, PlannedData: &experiment.PlannedData{
			Name: g.name(), Digest: hex.EncodeToString(sum[:]), Task: dataset.Regression, N: g.Rows, D: g.Features,
		}}
		p.Data(from.place, d.PlannedData, nil)
		return d, nil
	}
	set, err := p.Library.Load(ctx, from.Source)
	if s.skipAbsent && errors.Is(err, dataset.ErrAbsent) {
		p.Absent(from.Source)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if set.Gaps() {
		return nil, fmt.Errorf("data set %s: values are missing; missing: mean or drop in its entry fills or leaves them out", set.Name)
	}
	described := experiment.Planned(set)
	d := &planned{data: Data{Digest: described.Digest}, PlannedData: described}
	p.Data(from.place, d.PlannedData, &from.Source)
	return d, nil
}

type plannedCell struct {
	Cell

	set    *planned
	regime string
	repeat int
}

func (c plannedCell) group() experiment.Group {
	return &experiment.Single{
		Dataset: c.set.Name, Method: c.Solver.Name, Values: []string{c.set.Name, c.Task.Name, c.regime, c.Solver.Name},
		Required: []experiment.Need{need, c.Solver.need()}, Estimate: c.seconds(),
		Cell: func(repeat int, seed int64) experiment.Cell {
			own := c
			own.repeat, own.Seed = repeat, seed
			return &own
		},
	}
}

// seconds estimates some hundred passes over the data, for a command ten times that and a second;
// at most twice the budget.
func (c *plannedCell) seconds() float64 {
	passes := float64(c.set.N) * float64(c.set.D) * 2e-9
	seconds := 0.001 + 500*passes
	if c.Solver.Command != "" {
		seconds = 1 + 5000*passes
	}
	return 100*passes + min(seconds, 2*c.Budget)
}

func (c *plannedCell) Label(labels *experiment.Batch) error { return labelFields.Append(labels, c) }
