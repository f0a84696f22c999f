package benchmark

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
)

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
	if err := gridfile.CheckSettings(info, c.Task.Settings, nil); err != nil {
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
