// Package benchmark is the kind of experiment that compares solvers of linear models with
// piecewise linear-quadratic losses. A cell runs one solver on one problem and yields its curve of
// certified gaps against time. docs/solver-benchmark.md defines problems and measures.
package benchmark

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/results/analysis"
)

// Kind computes cells of the kind solver-benchmark.
type Kind struct{}

var _ experiment.Kind = Kind{}

func (Kind) Name() string { return Name }

func (Kind) Tables() experiment.Tables { return Tables() }

func (Kind) Abilities() []experiment.Need {
	list := []experiment.Need{need, {Name: experiment.CommandNeed, Version: outside.Protocol}}
	for _, s := range solverTable {
		of := Solver{Name: s.name, Version: s.version}
		list = append(list, of.need())
	}
	return list
}

func (Kind) Check(task *experiment.Task) error {
	c, err := decode(task.Spec)
	if err != nil {
		return err
	}
	return task.Matches(c)
}

// Compute runs the cell's solver and certifies every point of its curve.
func (Kind) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	c, err := decode(task.Spec)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	p, err := c.problem(ctx, data)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	a, err := c.solve(ctx, p, data)
	if err != nil {
		return experiment.Batch{}, nil, err
	}
	b, err := p.certify(ctx)
	if err != nil {
		return experiment.Batch{}, nil, fmt.Errorf("certifying the problem: %w", err)
	}
	measures, curve, err := p.tables(a, b)
	if err != nil || !task.Keeps(curveTable.Name) {
		return measures, nil, err
	}
	return measures, map[string]experiment.Batch{curveTable.Name: curve}, nil
}

func skipped(format string, args ...any) error {
	return &experiment.StatusError{Status: experiment.Skipped, Err: fmt.Errorf(format, args...)}
}

func (c *Cell) solve(ctx context.Context, p *problem, data experiment.Data) (*attempt, error) {
	a := &attempt{ctx: ctx, budget: time.Duration(c.Budget * float64(time.Second)), seed: uint64(c.Seed)}
	of := c.Solver.own()
	if of == nil {
		return a, c.ask(a, p, data)
	}
	if lacks := of.lacks(p); lacks != "" {
		return nil, skipped("%s", lacks)
	}
	return a, of.run(a, p)
}

type outsideCell struct {
	ID         string         `json:"id"`
	Experiment string         `json:"experiment"`
	Task       dataset.Task   `json:"task"`
	Problem    map[string]any `json:"problem"`
	Tolerances []float64      `json:"tolerances"`
	Budget     float64        `json:"budget"`
	Seed       int64          `json:"seed"`
}

func (p *problem) description() map[string]any {
	m := map[string]any{"task": p.of.Name, "c": p.c}
	for _, s := range p.of.Settings {
		if s.Name != "" && s.Name != intercept {
			m[s.Name] = s.Number
		}
	}
	if p.fair != nil {
		m["constraint"] = p.fair
	}
	return m
}

// grace is added to three times a command's budget.
const grace = 30 * time.Second

func (c *Cell) ask(a *attempt, p *problem, data experiment.Data) error {
	with, ok := data.(experiment.CommandData)
	if !ok {
		return skipped("the solver %s is a program of its own, and this worker runs none: start it with --allow-commands where grids are trusted", c.Solver.Name)
	}
	program, err := outside.ReadProgram(c.Solver.Command)
	if err != nil {
		return err
	}
	if run := program.Run[0]; filepath.IsAbs(run) || !strings.Contains(run, "/") {
		if _, err := exec.LookPath(run); err != nil {
			return skipped("%s is not on this machine", run)
		}
	}
	ctx, cancel := context.WithTimeout(a.ctx, 3*a.budget+grace)
	defer cancel()
	answer, err := with.Commands().Curve(ctx, program, gridfile.JSON(outsideCell{
		ID: experiment.Identity(c.Canonical()), Experiment: Name, Task: p.task.of, Problem: p.description(), Tolerances: tolerances, Budget: c.Budget, Seed: c.Seed,
	}), &dataset.Prepared{Train: dataset.Part{N: p.x.Rows, D: p.x.Cols, X: p.x.Data, Y: p.y}})
	var refused *outside.CellError
	switch {
	case errors.As(err, &refused) && refused.Skipped:
		return skipped("%s", refused.Text)
	case errors.As(err, new(*outside.NumberError)):
		return &experiment.StatusError{Status: experiment.Diverged, Err: fmt.Errorf("the solver %s: %w", c.Solver.Name, err)}
	case errors.Is(err, context.DeadlineExceeded) && a.ctx.Err() == nil:
		a.stopped = fmt.Sprintf("no answer within %v", 3*a.budget+grace)
		return nil
	case err != nil:
		return fmt.Errorf("the solver %s: %w", c.Solver.Name, err)
	}
	a.addAnswer(answer)
	return nil
}

func (a *attempt) addAnswer(answer *outside.Answer) {
	a.stopped = strings.ToValidUTF8(answer.Stopped, "\uFFFD")
	if answer.Setup > 0 {
		a.setups = []float64{answer.Setup}
	}
	at := func(list []float64, i int) float64 {
		if list == nil {
			return -1
		}
		return list[i]
	}
	for i, seconds := range answer.Seconds {
		a.points = append(a.points, point{
			tolerance: at(answer.Tolerances, i), passes: at(answer.Passes, i), reported: at(answer.Gaps, i),
			seconds: seconds, beta: answer.Coefficients[i],
		})
	}
}

// levels are the gaps to which times are measured.
var levels = [3]float64{1e-3, 1e-5, 1e-8}

func known(x float64) any { return experiment.Known(x, x >= 0) }

type certified struct {
	*attempt
	bound      bound
	reached    [len(levels)]float64 // seconds to each level, -1 if not reached
	final      float64              // smallest gap, -1 for none
	overclaims int
	why        string // the curve ends early, "" if complete
}

type certifiedPoint struct {
	*point
	number                    int
	objective, gap, violation float64
	overclaims                int
}

func (p *problem) tables(a *attempt, b bound) (measures, curve experiment.Batch, err error) {
	c := &certified{attempt: a, bound: b, reached: [len(levels)]float64{-1, -1, -1}, final: -1}
	for i := range a.points {
		at := &certifiedPoint{point: &a.points[i], number: i}
		at.objective, at.violation = p.primal(at.beta), p.violation(at.beta)
		at.gap = p.gap(at.objective, at.violation, b)
		if at.reported >= 0 && at.gap > 1.1*at.reported+1e-9 {
			at.overclaims = 1
		}
		c.overclaims += at.overclaims
		if at.violation <= feasible {
			if c.final < 0 || at.gap < c.final {
				c.final = at.gap
			}
			for k, level := range levels {
				if at.gap <= level && (c.reached[k] < 0 || at.seconds < c.reached[k]) {
					c.reached[k] = at.seconds
				}
			}
		}
		err = errors.Join(err, curveFields.Append(&curve, at))
	}
	if !(c.final >= 0 && c.final <= tolerances[len(tolerances)-1]) {
		c.why = a.stopped
	}
	err = errors.Join(err, measureFields.Append(&measures, c))
	return measures, curve, err
}

// Name is the kind's name in grids.
const Name = "solver-benchmark"

func init() { //nolint:gochecknoinits // a program knows the kinds that it imports
	experiment.Register(experiment.Registration{
		Kind: Kind{}, Keys: []string{"data", "tasks", "c", "solvers", "budget", "absent", "keep"}, Read: readSection,
		Dimensions: []experiment.DimensionName{{Name: "dataset"}, {Name: "task"}, {Name: "c"}, {Name: "solver"}},
		Layout:     Layout, Material: material,
	})
	analysis.RegisterOwn(Name, analysis.Own{Part: own})
}

func material(ctx context.Context, task *experiment.Task, data experiment.Data, outcome *experiment.Outcome) (*experiment.Material, error) {
	c, err := decode(task.Spec)
	if err != nil {
		return nil, err
	}
	p, err := c.problem(ctx, data)
	if err != nil {
		return nil, err
	}
	return &experiment.Material{Parts: []experiment.MaterialPart{p.material()}, Tables: experiment.MaterialTables(outcome, furtherTables)}, nil
}
