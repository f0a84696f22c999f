package benchmark

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
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
		d := &planned{data: Data{Generated: g}, any: true, PlannedData: &experiment.PlannedData{
			Name: g.name(), Digest: outside.Digest(gridfile.JSON(g)), Task: dataset.Regression, N: g.Rows, D: g.Features,
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

// version changes with the numbers of problems or evaluation.
const version = 1

var need = experiment.Need{Name: "solver-benchmark: problems", Version: version}

// Cell is a cell; its JSON is the canonical form.
type Cell struct {
	Kind    string  `json:"kind"`
	Version int     `json:"version"`
	Data    Data    `json:"data"`
	Task    Task    `json:"task"`
	C       float64 `json:"c"`
	Solver  Solver  `json:"solver"`
	Budget  float64 `json:"budget"` // processor seconds
	Seed    int64   `json:"seed"`
}

// Data is a stored or generated data set.
type Data struct {
	Digest    string     `json:"digest,omitempty"`
	Generated *Generated `json:"generated,omitempty"`
}

// Solver is a solver of this program or a command.
type Solver struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Command string `json:"command,omitempty"` // the program's canonical form

	family string // of planned cells
}

func (s *Solver) need() experiment.Need {
	if s.Command != "" {
		return experiment.Need{Name: experiment.CommandNeed, Version: s.Version}
	}
	return experiment.Need{Name: "solver: " + s.Name, Version: s.Version}
}

func decode(text []byte) (*Cell, error) { return experiment.DecodeCell(text, (*Cell).known) }

func (c *Cell) known() error {
	if err := experiment.CheckVersion(c.Kind, Name, c.Version, need); err != nil {
		return err
	}
	info := gridfile.Lookup(taskTable, c.Task.Name)
	switch {
	case info == nil:
		return fmt.Errorf("there is no task %q", c.Task.Name)
	case (c.Data.Digest == "") == (c.Data.Generated == nil):
		return fmt.Errorf("its data are %s", gridfile.JSON(c.Data))
	case !(c.C > 0) || !(c.Budget > 0):
		return fmt.Errorf("a factor of %v, a budget of %v seconds", c.C, c.Budget)
	}
	if g := c.Data.Generated; g != nil && !g.allowed() {
		return fmt.Errorf("its data are %s", gridfile.JSON(g))
	}
	if err := gridfile.CheckSettings(info, c.Task.Settings, ""); err != nil {
		return err
	}
	here := outside.Protocol
	if c.Solver.Command == "" {
		of := c.Solver.own()
		if of == nil {
			return fmt.Errorf("there is no solver %q", c.Solver.Name)
		}
		here = of.version
	} else if _, err := outside.ReadProgram(c.Solver.Command); err != nil {
		return err
	}
	if c.Solver.Version != here {
		return &experiment.NeedError{Need: c.Solver.need(), Here: here}
	}
	return nil
}

func (s *Solver) own() *solver {
	i := slices.IndexFunc(solverTable, func(of *solver) bool { return of.name == s.Name })
	if i < 0 || s.Command != "" {
		return nil
	}
	return solverTable[i]
}

func (c *Cell) problem(ctx context.Context, data experiment.Data) (*problem, error) {
	var own dataset.Dataset
	if g := c.Data.Generated; g != nil {
		own = *g.draw(gridfile.Lookup(taskTable, c.Task.Name).of)
	} else {
		set, err := data.Dataset(ctx, c.Data.Digest)
		if err != nil {
			return nil, fmt.Errorf("data set of the cell: %w", err)
		}
		own = *set
		own.X, own.Y = slices.Clone(set.X), slices.Clone(set.Y)
	}
	p, err := newProblem(c.Task, c.C, &own)
	if err != nil {
		return nil, &experiment.DataError{Err: err}
	}
	return p, nil
}

func (c *Cell) Canonical() []byte { return gridfile.JSON(c) }

func (c *Cell) Require(task *experiment.Task) {
	task.Needs = []experiment.Need{need, c.Solver.need()}
	if c.Data.Digest != "" {
		task.Data = []string{c.Data.Digest}
	}
	task.Files, task.Env = outside.Requires(c.Solver.Command)
}

func (p *problem) material() experiment.MaterialPart {
	columns := []string{"y"}
	for j := range p.x.Cols {
		columns = append(columns, "x_"+strconv.Itoa(j+1))
	}
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	var rows iter.Seq[[]string] = func(yield func([]string) bool) {
		for i, y := range p.y {
			row := []string{text(y)}
			for _, x := range p.x.Data[i*p.x.Stride:][:p.x.Cols] {
				row = append(row, text(x))
			}
			if !yield(row) {
				return
			}
		}
	}
	return experiment.MaterialPart{Name: "problem", Columns: columns, Rows: rows}
}
