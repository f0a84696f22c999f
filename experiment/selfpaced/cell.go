package selfpaced

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/experiment/outside"
)

// Name is the kind of experiment that computes age paths and their baselines.
const Name = "self-paced"

// Cell is one computation: a model fitted by a method to one split of one data set.
type Cell struct {
	Data     CellData
	Settings dataset.Settings // without Boundary; Protocol is set, Target "" for classification, Noise zero if clean
	Model    Model
	Method   Method
	Choice   Choice
	Metric   metric.Name // "" for [metric.First]
	Repeat   int         // from 1; 0 after DecodeCell
	Seed     int64       // see CellSeed
}

// CellData is the data set of a cell.
type CellData struct {
	Digest string
	Task   dataset.Task
	Name   string // "" after DecodeCell
}

// canonicalCell is the canonical form of a cell: JSON with these fields in this order, numbers in
// their shortest exact form. Renaming a field changes every identity.
type canonicalCell struct {
	Kind     string            `json:"kind"`
	Data     string            `json:"data"`
	Task     dataset.Task      `json:"task"`
	Settings canonicalSettings `json:"settings"`
	Model    *Model            `json:"model"`
	Method   *Method           `json:"method"`
	Choice   Choice            `json:"choice,omitzero"`
	Metric   metric.Name       `json:"metric,omitempty"`
	Seed     int64             `json:"seed"`
}

// canonicalSettings keeps identities independent of the names in [dataset.Settings].
type canonicalSettings struct {
	Paper      bool    `json:"paper,omitempty"`
	Protocol   string  `json:"protocol,omitempty"` // if neither held-out nor paper
	Train      float64 `json:"train"`
	Test       float64 `json:"test"`
	Validation float64 `json:"validation,omitempty"`
	Features   string  `json:"features"`
	Target     string  `json:"target,omitempty"`
	Noise      string  `json:"noise,omitempty"`
	Level      float64 `json:"level,omitempty"`
	Version    int     `json:"noise_version,omitempty"`
	Rows       int     `json:"rows,omitempty"`
	Missing    string  `json:"missing,omitempty"`
	Clean      bool    `json:"clean,omitempty"`
	Own        bool    `json:"own_split,omitempty"`
}

// Canonical returns everything that changes the cell's result, and nothing else, as JSON.
func (c *Cell) Canonical() []byte {
	return gridfile.JSON(&canonicalCell{
		Kind:     Name,
		Data:     c.Data.Digest,
		Task:     c.Data.Task,
		Settings: canonical(c.Settings),
		Model:    &c.Model,
		Method:   &c.Method,
		Choice:   c.Choice,
		Metric:   c.Metric,
		Seed:     c.Seed,
	})
}

func canonical(s dataset.Settings) canonicalSettings {
	later := ""
	if s.Protocol == dataset.Scripts {
		later = string(s.Protocol)
	}
	return canonicalSettings{
		Paper: s.Protocol == dataset.Paper, Protocol: later,
		Train: s.Split.Train, Test: s.Split.Test, Validation: s.Split.Validation,
		Features: string(s.Features), Target: string(s.Target),
		Noise: s.Noise.Kind, Level: s.Noise.Level, Version: noiseVersion(s.Noise.Kind),
		Rows: s.Rows, Missing: s.Missing, Clean: s.Clean, Own: s.Split.Own,
	}
}

// noiseVersion is 0 for version 1, which older identities do not state.
func noiseVersion(kind string) int {
	if version := dataset.NoiseVersion(kind); version > 1 {
		return version
	}
	return 0
}

func (s *canonicalSettings) protocol() (dataset.Protocol, error) {
	for _, p := range []dataset.Protocol{dataset.HeldOut, dataset.Paper, dataset.Scripts} {
		if of := canonical(dataset.Settings{Protocol: p}); of.Paper == s.Paper && of.Protocol == s.Protocol {
			return p, nil
		}
	}
	return "", fmt.Errorf("its protocol is %q, paper %t", s.Protocol, s.Paper)
}

func (c *Cell) Require(task *experiment.Task) {
	task.Data = []string{c.Data.Digest}
	task.Files, task.Env = outside.Requires(c.Method.Command)
	m := &c.Model
	task.Needs = needs(c.Method.need(), c.Method.Age, c.Choice, c.Metric, m.Name, m.Loss.Name, m.Constraint.Name, c.Method.Regularizer.Name, c.Settings, c.Settings.Noise)
}

// ID returns the first 16 bytes of the SHA-256 of the canonical form in hex.
func (c *Cell) ID() string { return experiment.Identity(c.Canonical()) }

// DecodeCell reads the result of [Cell.Canonical], which excludes the data set's name and shape and
// the repeat. Unknown fields, methods or algorithm versions are errors.
func DecodeCell(spec []byte) (cell *Cell, err error) {
	_, err = experiment.DecodeCell(spec, func(form *canonicalCell) (err error) {
		cell, err = form.cell()
		return err
	})
	return cell, err
}

func (form *canonicalCell) cell() (*Cell, error) {
	if form.Kind != Name {
		return nil, fmt.Errorf("its kind is %q, not %s", form.Kind, Name)
	}
	if form.Model == nil || form.Method == nil {
		return nil, errors.New("it lacks the model or the method")
	}
	model, method := *form.Model, *form.Method
	info, err := known(method, model, form.Task)
	if err != nil {
		return nil, err
	}
	if method.Algorithm != info.algorithm {
		return nil, &experiment.NeedError{Need: method.need(), Here: info.algorithm}
	}
	if auto := method.Age.Auto; auto != 0 && auto != autoAge {
		return nil, &experiment.NeedError{Need: autoNeed(auto), Here: autoAge}
	}
	if direction := method.Age.Direction; direction != "" && (!info.directed || direction != down && direction != both) {
		return nil, fmt.Errorf("%s has no path in the direction %q", info.name, direction)
	}
	cs := &form.Settings
	if cs.Version != noiseVersion(cs.Noise) {
		return nil, &experiment.NeedError{Need: noiseNeed(cs.Noise, max(cs.Version, 1)), Here: dataset.NoiseVersion(cs.Noise)}
	}
	protocol, err := cs.protocol()
	if err = cmp.Or(form.Choice.check(), err); err != nil {
		return nil, err
	}
	if m := form.Metric; m != "" && (!slices.Contains(metric.Choosing(), m) || m.Of().Task != form.Task || m == metric.First(form.Task, protocol)) {
		return nil, unknown("metric", string(m))
	}
	cell := &Cell{
		Data:   CellData{Digest: form.Data, Task: form.Task},
		Model:  model,
		Method: method,
		Choice: form.Choice,
		Metric: form.Metric,
		Seed:   form.Seed,
	}
	cell.Settings = dataset.Settings{
		Split:    dataset.Split{Train: cs.Train, Test: cs.Test, Validation: cs.Validation, Own: cs.Own},
		Features: dataset.Scaling(cs.Features),
		Target:   dataset.Scaling(cs.Target),
		Noise:    dataset.Noise{Kind: cs.Noise, Level: cs.Level},
		Protocol: protocol,
		Rows:     cs.Rows,
		Missing:  cs.Missing,
		Clean:    cs.Clean,
	}
	return cell, nil
}

// known refuses unknown names and settings.
func known(method Method, model Model, task dataset.Task) (*methodInfo, error) {
	info, err := method.info()
	if err != nil {
		return nil, err
	}
	regularizer := method.Regularizer.Name
	switch {
	case info.everywhere && (model != Model{}):
		return nil, fmt.Errorf("%s is a method without a model, not for the model %s", info.name, model.Name)
	case info.everywhere:
	case gridfile.Lookup(modelTable, model.Name) == nil:
		return nil, unknown("model", model.Name)
	case !info.fits(model.Name):
		return nil, fmt.Errorf("%s is a method for %s, not for the model %s", info.name, strings.Join(info.modelNames(), ", "), model.Name)
	case info.regularized && gridfile.Lookup(regularizerTable, regularizer) == nil:
		return nil, unknown("regularizer", regularizer)
	}
	if _, _, err := model.terms(task); err != nil {
		return nil, err
	}
	return info, gridfile.CheckSettings(info, method.Settings, regularizer)
}

// unknown says that a later agepath computes the name.
func unknown(kind, name string) error {
	if name == "" {
		return fmt.Errorf("it names no %s", kind)
	}
	return &experiment.NeedError{Need: experiment.Need{Name: fmt.Sprintf("%s %.100q", kind, name)}}
}

// Stream returns the cell's random stream for one purpose, see [experiment.Stream].
func (c *Cell) Stream(purpose string) *rand.Rand { return experiment.Stream(c.Seed, purpose) }
