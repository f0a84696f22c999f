package selfpaced

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
)

type planner struct {
	*experiment.Planner

	section  *Section
	groups   []*group
	prepared map[string]func() (*plannedData, error) // by source and settings
}

func (s *Section) Plan(ctx context.Context, with *experiment.Planner) ([]experiment.Group, error) {
	p := &planner{Planner: with, section: s, prepared: map[string]func() (*plannedData, error){}}
	for i := range s.Sweeps {
		if err := p.sweep(ctx, i); err != nil {
			return nil, err
		}
	}
	link(p.groups, s.Sweeps, with)
	list := make([]experiment.Group, len(p.groups))
	for i, g := range p.groups {
		if g.method.command != "" {
			with.Command(g.method.name)
		}
		list[i] = g
	}
	return list, nil
}

// data prepares the data set once, without noise, with the first repeat's split: what fails here
// would fail in every cell. The result is nil after a problem or for a skipped data set.
func (p *planner) data(ctx context.Context, source DataSource, settings dataset.Settings, skip bool) (*plannedData, error) {
	key := string(gridfile.JSON([]any{source.Source, canonical(settings)}))
	if p.prepared[key] == nil {
		p.prepared[key] = sync.OnceValues(func() (*plannedData, error) { return p.load(ctx, source.Source, settings) })
	}
	data, err := p.prepared[key]()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("planning the grid %s: %w", p.Grid.Name, ctx.Err())
	case skip && errors.Is(err, dataset.ErrAbsent):
		p.Absent(source.Source)
	case err != nil:
		p.Problem(source.place, "%v", err)
	}
	return data, nil // nil after an error, which is among the problems
}

func (p *planner) load(ctx context.Context, source dataset.Source, settings dataset.Settings) (*plannedData, error) {
	d, err := p.Library.Load(ctx, source)
	if err == nil {
		err = dataset.CheckNeed(d.N, d.D, source.Memory) // whichever library loaded it
	}
	if err != nil {
		return nil, err
	}
	if err := varies(d, source.Options.Target); err != nil {
		return nil, err
	}
	gaps := d.Gaps()
	if gaps {
		settings.Missing = dataset.Median
	}
	first := Cell{Seed: experiment.CellSeed(p.Grid.Seed, 1)}
	prepared, err := dataset.Prepare(ctx, d, settings, first.Stream)
	if err != nil {
		return nil, err
	}
	return &plannedData{
		PlannedData: experiment.Planned(d),
		train:       prepared.Train.N + prepared.Merged, test: prepared.Test.N, features: d.Features, gaps: gaps,
		otherTask: otherTask(d),
	}, nil
}

// otherTask explains how to get the other task; "" for a target of many values.
func otherTask(d *dataset.Dataset) string {
	if d.Task == dataset.Classification {
		return "; its target has two labels or classes: where they are numbers, task: regression in its entry takes them as such"
	}
	const most = 20
	seen := map[float64]bool{}
	for _, y := range d.Y {
		if seen[y] = true; len(seen) > most {
			return ""
		}
	}
	values := slices.Sorted(maps.Keys(seen))
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprintf("; its target has the %d values %s: classes: {positive: [%s]} in its entry makes two classes, one label and the others",
		len(values), strings.Join(texts, ", "), texts[len(texts)-1])
}

// varies refuses a constant target, which every regression fits exactly. A single class is refused
// when the labels are read.
func varies(d *dataset.Dataset, target string) error {
	if d.Task != dataset.Regression || slices.ContainsFunc(d.Y, func(y float64) bool { return y != d.Y[0] }) {
		return nil
	}
	if target != "" {
		target = " " + strconv.Quote(target)
	}
	return fmt.Errorf("data set %s: its target%s is %v in all %d rows; a regression needs one that varies", d.Name, target, d.Y[0], d.N)
}

func (p *planner) sweep(ctx context.Context, number int) error {
	sweep, first := &p.section.Sweeps[number], len(p.groups)
	entries := float64(len(sweep.Data)) * float64(len(sweep.Models)) * float64(len(sweep.Methods)) * float64(max(1, len(sweep.Regularizers)))
	if entries > float64(gridfile.MaxCombinations-len(p.groups)) {
		p.Problem(sweep.place, "more than %d combinations of entries of data, models, methods and regularizers; put values into lists of one entry", gridfile.MaxCombinations)
		return nil
	}
	methods := p.infos(ctx, sweep)
	for _, source := range sweep.Data {
		source.Memory = p.Grid.Limits.Memory
		settings := sweep.Settings
		data, err := p.data(ctx, source, settings, sweep.SkipAbsent)
		if err != nil {
			return err
		}
		if data == nil {
			continue
		}
		p.Data(source.place, data.PlannedData, &source.Source)
		p.task(sweep, data)
		if data.Task == dataset.Classification {
			settings.Target = "" // labels are never scaled
		}
		if data.gaps {
			settings.Missing = dataset.Median
		}
		p.groups = append(p.groups, sweep.groups(data, settings, methods, number)...)
	}
	p.methods(sweep)
	if added := p.groups[first:]; len(added) > 0 {
		p.settings(sweep, added)
	}
	return nil
}

func (p *planner) task(s *Sweep, data *plannedData) {
	for _, model := range s.Models {
		if want := model.task(); want != data.Task {
			p.Problem(model.Place, "%s is a model for %s, but the data set %s is for %s; allowed there are %s (sweeps hold models of both tasks in one grid)%s",
				model.describe(), want, data.Name, data.Task, strings.Join(modelsFor(data.Task), ", "), data.otherTask)
		}
		for _, c := range model.Constraint.Choices {
			if !c.Info.Columns {
				continue
			}
			if _, err := resolve(c.Values[0].Word, data.features); err != nil {
				p.Problem(c.Place, "%v (data set %s)", err, data.Name)
			}
		}
	}
	for i, noise := range s.Noise {
		if kinds := dataset.NoiseKinds(data.Task); noise.Kind != "" && !slices.Contains(kinds, noise.Kind) {
			p.Problem(s.noisePlaces[i], "noise of the kind %s does not fit the data set %s, which is for %s; allowed there are %s",
				noise.Kind, data.Name, data.Task, strings.Join(kinds, ", "))
		}
	}
}

func (p *planner) methods(s *Sweep) {
	for _, m := range s.Methods {
		method := m.method()
		for _, model := range s.Models {
			if s.Age.Auto != 0 && method.aged && (method.ownModel || model.Name == ERM) {
				p.Problem(m.Place, "%s uses the age without the model's parameters, or with the model %s: there is no plain fit whose losses say which ages fit; give ages, as in age: {min: 0.1, max: 20}", m.Name, ERM)
			}
			if !method.fits(model.Name) {
				p.Problem(m.Place, "%s is a method for %s, not for the model %s (sweeps hold several lists of models and methods in one grid)",
					m.Name, strings.Join(method.modelNames(), ", "), model.Name)
			}
		}
		for _, r := range s.Regularizers {
			if !method.knows(r.Name) {
				p.Problem(m.Place, "%s knows the regularizers %s, not %s: %s (sweeps hold several lists of regularizers and methods in one grid)",
					m.Name, strings.Join(method.regularizers, ", "), r.Name, method.knowsOnly)
			}
		}
	}
}

// settings reports method settings that no cell uses.
func (p *planner) settings(s *Sweep, groups []*group) {
	for _, m := range s.Methods {
		for _, c := range m.Choices {
			used := slices.ContainsFunc(groups, func(g *group) bool {
				return g.method.name == m.Name && slices.ContainsFunc(g.settings, func(o gridfile.Choice) bool { return o.Info == c.Info })
			})
			if c.Place.Key != "" && !used {
				p.Problem(c.Place, "has no effect: %s uses it %s", m.Name, c.Info.Where())
			}
		}
	}
}

// infos reads the files of command methods. It returns nil for a method after a problem.
func (p *planner) infos(ctx context.Context, s *Sweep) []*methodInfo {
	list := make([]*methodInfo, len(s.Methods))
	for i := range s.Methods {
		m := &s.Methods[i]
		if m.program == nil {
			list[i] = gridfile.Lookup(methodTable, m.Name)
			continue
		}
		program, ok := p.Program(ctx, m.Place, m.Name, m.program, nil)
		if !ok {
			continue
		}
		var err error
		if list[i], err = commandInfo(m.Name, program); err != nil {
			p.Problem(m.Place, "%v", err)
		}
	}
	return list
}
