package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/gaga"
)

func commandInfo(name string, p *outside.Program) (*methodInfo, error) {
	text, err := p.Canonical()
	if err != nil {
		return nil, err
	}
	if err := checkCommandName(name); err != nil {
		return nil, err
	}
	return &methodInfo{
		name: name, algorithm: outside.Protocol, command: text,
		regularized: p.Has(outside.UsesRegularizer), aged: p.Has(outside.UsesAge), stepped: p.Has(outside.UsesAge),
		models: gridfile.NamesOf(modelTable), ownModel: !p.Has(outside.UsesModel),
		fit: func(ctx context.Context, f *Fitted, c *Cell, _ *dataset.Part) error { return f.ask(ctx, c, p) },
		// The cost is unknown: assume a second, and a microsecond for each number.
		work: func(_ *group, n, d float64) float64 { return 1e9 + 1e3*n*d },
		// A copy of the data, and the answer.
		bytes: func(_ *Cell, n, d int64) int64 { return 8 * n * d },
	}, nil
}

func checkCommandName(name string) error {
	return experiment.CheckCommandName(name, "method", methodTable)
}

func (m *Method) info() (*methodInfo, error) {
	if m.Command == "" {
		if info := gridfile.Lookup(methodTable, m.Name); info != nil {
			return info, nil
		}
		return nil, unknown("method", m.Name)
	}
	program, err := outside.ReadProgram(m.Command)
	if err != nil {
		return nil, err
	}
	return commandInfo(m.Name, program)
}

type commandCell struct {
	ID          string       `json:"id"`
	Task        dataset.Task `json:"task"`
	Model       Model        `json:"model"`
	Regularizer Regularizer  `json:"regularizer,omitzero"`
	Age         *commandAge  `json:"age,omitempty"`
	Seed        int64        `json:"seed"`
}

type commandAge struct {
	Min  float64   `json:"min"`
	Max  float64   `json:"max"`
	Step float64   `json:"step,omitempty"`
	Ages []float64 `json:"ages"`
}

func (f *Fitted) ask(ctx context.Context, c *Cell, program *outside.Program) error {
	if f.commands == nil {
		return &outside.LackError{What: outside.Permission, Err: fmt.Errorf("the method %s is a command, and this worker runs none: start it with --allow-commands where grids are trusted", c.Method.Name)}
	}
	var age *commandAge
	if a := c.Method.Age; a != (Age{}) {
		age = &commandAge{a.Min, a.Max, a.Step, f.steps(a)}
	}
	answer, err := f.commands.Solve(ctx, program, gridfile.JSON(commandCell{
		ID: c.ID(), Task: c.Data.Task, Model: c.Model, Regularizer: c.Method.Regularizer, Age: age, Seed: c.Seed,
	}), f.parts)
	var number *outside.NumberError
	var refused *outside.CellError
	switch {
	case errors.As(err, &refused) && refused.Skipped:
		return &experiment.StatusError{Status: experiment.Skipped, Err: err}
	case errors.As(err, &number):
		return &experiment.StatusError{Status: experiment.Diverged, Err: fmt.Errorf("the method %s: %w", c.Method.Name, err)}
	case err != nil:
		return fmt.Errorf("the method %s: %w", c.Method.Name, err)
	}
	return f.addAnswer(c, answer)
}

func (f *Fitted) addAnswer(c *Cell, answer *outside.Answer) error {
	age := c.Method.Age
	knots := answer.Knots()
	if (answer.Ages != nil) != (age != Age{}) {
		return fmt.Errorf("the method %s: %d ages in its answer; a command has ages if it uses: %s", c.Method.Name, len(answer.Ages), outside.UsesAge)
	}
	f.outside = true
	f.Knots = make([]gaga.Knot, knots)
	for k := range f.Knots {
		knot := &f.Knots[k]
		knot.Kind, knot.Index = gaga.End, -1
		if answer.Ages != nil {
			knot.Kind, knot.Age = gaga.Grid, answer.Ages[k]
		}
		if len(answer.Coefficients) > 0 {
			knot.Theta = answer.Coefficients[k]
			knot.Active = active(knot.Theta)
		}
	}
	f.predictions = answer.Predictions
	f.linear = len(answer.Coefficients) > 0
	if answer.Ages == nil {
		return nil
	}
	last := f.Knots[knots-1].Age
	f.status = gaga.Complete.String()
	if first := f.Knots[0].Age; first < age.Min || last > age.Max {
		return fmt.Errorf("the method %s: ages from %g to %g; allowed are %g to %g", c.Method.Name, first, last, age.Min, age.Max)
	}
	if last < age.Max {
		f.status = "stopped"
		if answer.Stopped != "" {
			f.status += ": " + strings.ToValidUTF8(answer.Stopped, "\uFFFD")
		}
		f.stopped = fmt.Sprintf("the path stops at age %.4g of %.4g: %s", last, age.Max, f.status)
	}
	return nil
}
