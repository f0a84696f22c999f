package selfpaced

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
)

func (r *sectionReader) methods(n gridfile.Item) []MethodEntry {
	var list []MethodEntry
	var names []gridfile.Entry
	for _, element := range r.List(n) {
		var e MethodEntry
		var ok bool
		if experiment.IsCommand(element) {
			e, ok = r.command(element)
		} else {
			e.Entry, ok = gridfile.ReadEntry(r.Reader, element, methodTable, "settings of its own; write the name alone (ages are in the key age)")
		}
		if e.Name != "" && gridfile.HasEntry(names, e.Name) {
			r.Problem(element, "the method %s is given twice; its settings take lists", e.Name)
		}
		if ok {
			list, names = append(list, e), append(names, e.Entry)
		}
	}
	if len(list) == 1 && list[0].method().everywhere {
		r.Problem(n, "%s is computed without being asked for; name the methods to compare with it", list[0].Name)
	}
	return list
}

const noParameters = "parameters; write the name alone"

func (r *sectionReader) regularizers(n gridfile.Item) []gridfile.Entry {
	var list []gridfile.Entry
	for _, element := range r.List(n) {
		e, ok := gridfile.ReadEntry(r.Reader, element, regularizerTable, noParameters)
		if !ok {
			continue
		}
		if e.Choices == nil && gridfile.HasEntry(list, e.Name) {
			r.Problem(element, "the regularizer %s is given twice", e.Name)
		}
		list = append(list, e)
	}
	return list
}

// models returns an entry for each intercept, kernel, loss and constraint.
func (r *sectionReader) models(n gridfile.Item) []Models {
	var list []Models
	for _, element := range r.List(n) {
		info, settings, ok := gridfile.ReadNamed(r.Reader, element, modelTable)
		if !ok {
			continue
		}
		var fields map[string]gridfile.Item
		if settings.Given() {
			if fields = r.Fields(settings, info.keys...); fields == nil {
				continue
			}
		}
		m := Models{Entry: gridfile.Entry{Name: info.name, Place: r.Place(settings)}, Intercept: true}
		if m.Choices, ok = r.Choices(element, settings, fields, info.name, info.settings); !ok && !settings.Given() {
			continue
		}
		intercepts := []bool{m.Intercept}
		gridfile.Read(fields, gridfile.On("intercept", func(n gridfile.Item) { intercepts = gridfile.Different(r.Reader, n, r.Boolean) }))
		for _, m.Intercept = range intercepts {
			switch info.name {
			case SVM:
				list = append(list, r.kernels(m, fields["kernel"])...)
			case ERM:
				list = append(list, r.erm(m, settings, fields)...)
			default:
				list = append(list, m)
			}
		}
	}
	return list
}

// kernels defaults to the linear kernel, without a width, and to the width "scale".
func (r *sectionReader) kernels(m Models, n gridfile.Item) []Models {
	kernels := []string{Linear}
	if n.Given() {
		kernels = gridfile.Words(r.Reader, Linear, RBF)(n)
	}
	var list []Models
	for _, kernel := range kernels {
		one := m
		if one.Kernel = kernel; kernel == Linear && len(m.Choices) > 1 {
			one.Choices = m.Choices[:1]
		}
		list = append(list, one)
	}
	return list
}

func (r *sectionReader) erm(m Models, at gridfile.Item, fields map[string]gridfile.Item) []Models {
	if !fields["loss"].Given() {
		r.Problem(at, "the key loss is missing: one of %s, or a list", strings.Join(gridfile.NamesOf(lossTable), ", "))
		return nil
	}
	constraints := []gridfile.Entry{{}}
	if n := fields["constraint"]; n.Given() {
		constraints = different(r, n, "constraint", constraintTable)
		for i := range constraints {
			r.checkBox(&constraints[i])
		}
	}
	var list []Models
	for _, loss := range different(r, fields["loss"], "loss", lossTable) {
		for _, constraint := range constraints {
			one := m
			one.Loss, one.Constraint, one.Place = loss, constraint, loss.Place
			list = append(list, one)
		}
	}
	return list
}

// different reads one or several entries of a table; the constraint none has no name.
func different[T gridfile.Declared](r *sectionReader, n gridfile.Item, what string, table []T) (list []gridfile.Entry) {
	for _, element := range r.Many(n) {
		e, ok := gridfile.Entry{}, what == "constraint" && element.Value == "none"
		if !ok {
			if e, ok = gridfile.ReadEntry(r.Reader, element, table, noParameters); !ok {
				continue
			}
		}
		if gridfile.HasEntry(list, e.Name) {
			r.Problem(element, "the %s %s is given twice; its parameters take lists", what, cmp.Or(e.Name, "none"))
		}
		list = append(list, e)
	}
	return list
}

// checkBox refuses bounds without a coefficient between them.
func (r *sectionReader) checkBox(e *gridfile.Entry) {
	for _, lower := range e.Choices.Values("lower") {
		for _, upper := range e.Choices.Values("upper") {
			if lower.Number > upper.Number {
				r.ProblemAt(e.Place, "the lower bound %g is above the upper bound %g", lower.Number, upper.Number)
				return
			}
		}
	}
}

// command reads a command method, without digests of its files.
func (r *sectionReader) command(n gridfile.Item) (e MethodEntry, ok bool) {
	before, given := r.Reports(), n.Child("command", n.Content[1])
	uses := []string{outside.UsesModel}
	name, p, ok := experiment.ReadCommand(r.Reader, n, checkCommandName, gridfile.On("uses", func(n gridfile.Item) {
		if uses = nil; n.Kind != yaml.SequenceNode || len(n.Content) > 0 { // else only the data
			uses = gridfile.Words(r.Reader, outside.Uses...)(n)
		}
		slices.SortFunc(uses, func(a, b string) int { return slices.Index(outside.Uses, a) - slices.Index(outside.Uses, b) })
	}))
	p.Uses = uses
	e = MethodEntry{gridfile.Entry{Name: name, Place: r.Place(n)}, p}
	if !ok {
		return e, false
	}
	if _, err := commandInfo(e.Name, p.WithoutFiles()); err != nil {
		r.Problem(given, "%v", err)
		return e, false
	}
	text := string(gridfile.JSON(p))
	if other, there := r.commands[e.Name]; there && other != text {
		r.Problem(given, "another command of the grid has the name %s too; give one of them another name", e.Name)
	}
	r.commands[e.Name] = text
	return e, r.Reports() == before
}
