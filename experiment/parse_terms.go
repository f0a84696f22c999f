package experiment

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/dataset"
)

// named reads an element of a list of declared things: a name, or a map of a name
// to its settings, which is not given for a name alone.
func named[T declared](r *reader, n item, table []T) (declaration T, settings item, ok bool) {
	var name string
	switch {
	case n.Kind == yaml.ScalarNode:
		name = n.Value
	case n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Kind == yaml.ScalarNode:
		name = n.Content[0].Value
		settings = n.child(clip(name), n.Content[1])
		if settings.ShortTag() == "!!null" {
			settings = item{}
		}
	default:
		r.problem(n, "%s is not allowed here; a name is, or {name: {its settings}}, of %s",
			describe(n.Node), strings.Join(namesOf(table), ", "))
		return declaration, item{}, false
	}
	if i := slices.Index(namesOf(table), name); i >= 0 {
		return table[i], settings, true
	}
	r.problem(n, "%q is unknown; %s", clip(name), allowedWords(name, namesOf(table)))
	return declaration, item{}, false
}

// entry reads an element whose settings are those of its declaration. none says
// what to do about settings of a thing without any.
func entry[T declared](r *reader, n item, table []T, none string) (e Entry, ok bool) {
	declaration, given, ok := named(r, n, table)
	if !ok {
		return e, false
	}
	name, infos := declaration.declaration()
	e = Entry{Name: name, place: r.place(n)}
	if len(infos) == 0 && given.given() {
		r.problem(given, "%s has no %s", name, none)
		return e, false
	}
	fields := map[string]item{}
	if given.given() {
		allowed := make([]string, len(infos))
		for i := range infos {
			allowed[i] = infos[i].name
		}
		if fields = r.fields(given, allowed...); fields == nil {
			return e, false
		}
	}
	e.Choices, ok = r.choices(n, given, fields, e.Name, infos)
	return e, ok
}

// choices reads settings of what at names; ok is false where a needed one is
// missing. given is the map that holds them, if there is one.
func (r *reader) choices(
	at, given item, fields map[string]item, name string, infos []settingInfo,
) (list choices, ok bool) {
	ok = true
	for i := range infos {
		info := &infos[i]
		if !info.needed || fields[info.name].given() {
			list = append(list, r.choice(fields[info.name], info))
			continue
		}
		ok = false
		switch {
		case !given.given():
			r.problem(at, "the key %s is missing, as in {%s: {%s: %s}}", info.name, name, info.name, info.example)
		case info.columns:
			r.problem(given, "the key %s is missing: %s", info.name, info.want())
		default:
			r.problem(given, "the key %s is missing: %s, a list or a range", info.name, info.want())
		}
	}
	return list, ok
}

// choice reads the values of one setting, its default where it is not given.
func (r *reader) choice(n item, info *settingInfo) Choice {
	if !n.given() {
		value := info.standard
		value.Name = info.name
		return Choice{Values: []Setting{value}, info: info}
	}
	c := Choice{info: info, place: r.place(n)}
	switch {
	case info.columns:
		c.Values = []Setting{{Name: info.name, Word: r.columns(n)}}
	case info.single && n.Kind != yaml.ScalarNode:
		r.problem(n, "%s is not allowed; %s is, and no list", describe(n.Node), info.want())
	case info.words != nil && n.Kind != yaml.MappingNode:
		for _, element := range r.many(n) {
			value, ok := r.setting(element, info)
			if ok && slices.Contains(c.Values, value) {
				r.problem(element, "%s is given twice", element.Value)
			}
			c.Values = append(c.Values, value)
		}
	default: // a range too
		for _, x := range r.numbers(n, rule{allows: info.rule.allows, want: info.want(), words: info.words}) {
			c.Values = append(c.Values, Setting{Name: info.name, Number: x})
		}
	}
	return c
}

// setting reads a value of a setting that can be a word; ok is false after a
// problem.
func (r *reader) setting(n item, info *settingInfo) (value Setting, ok bool) {
	value.Name = info.name
	if n.Kind == yaml.ScalarNode && slices.Contains(info.words, n.Value) {
		value.Word = n.Value
		return value, true
	}
	if info.rule.allows == nil {
		value.Word = oneOf(r, n, info.words...)
		return value, value.Word != ""
	}
	value.Number, ok = r.number(n, rule{allows: info.rule.allows, want: info.want(), words: info.words})
	return value, ok
}

// columns reads names and indexes of features.
func (r *reader) columns(n item) string {
	words := r.texts(n)
	for _, word := range words {
		if strings.Contains(word, ",") {
			r.problem(n, "%q has a comma in it, which is not allowed; take the feature's index", clip(word))
		}
	}
	return strings.Join(words, ",")
}

// methods reads the key methods.
func (r *reader) methods(n item) []Entry {
	var list []Entry
	for _, element := range r.list(n) {
		var e Entry
		var ok bool
		if isCommand(element) {
			e, ok = r.command(element)
		} else {
			e, ok = entry(r, element, methodTable, "settings of its own; write the name alone (ages are in the key age)")
		}
		if e.Name != "" && hasEntry(list, e.Name) {
			r.problem(element, "the method %s is given twice; its settings take lists", e.Name)
		}
		if ok {
			list = append(list, e)
		}
	}
	return list
}

func hasEntry(list []Entry, name string) bool {
	return slices.ContainsFunc(list, func(e Entry) bool { return e.Name == name })
}

const noParameters = "parameters; write the name alone"

// regularizers reads the key regularizers.
func (r *reader) regularizers(n item) []Entry {
	var list []Entry
	for _, element := range r.list(n) {
		e, ok := entry(r, element, regularizerTable, noParameters)
		if !ok {
			continue
		}
		if e.Choices == nil && hasEntry(list, e.Name) {
			r.problem(element, "the regularizer %s is given twice", e.Name)
		}
		list = append(list, e)
	}
	return list
}

// models reads the key models: an entry with and without an intercept where both are
// asked for, for each kernel of a support vector machine and for each loss and constraint
// of [ERM].
func (r *reader) models(n item) []Models {
	var list []Models
	for _, element := range r.list(n) {
		info, settings, ok := named(r, element, modelTable)
		if !ok {
			continue
		}
		var fields map[string]item
		if settings.given() {
			if fields = r.fields(settings, info.keys...); fields == nil {
				continue
			}
		}
		m := Models{Entry: Entry{Name: info.name, place: r.place(settings)}, Intercept: info.task != dataset.Regression}
		if m.Choices, ok = r.choices(element, settings, fields, info.name, info.settings); !ok && !settings.given() {
			continue
		}
		intercepts := []bool{m.Intercept}
		read(fields, key{"intercept", func(n item) { intercepts = different(r, n, r.boolean) }})
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

// kernels makes one entry for each kernel of a support vector machine: the linear
// one is the default and has no width, which is "scale" unless it is given.
func (r *reader) kernels(m Models, n item) []Models {
	kernels := []string{Linear}
	if n.given() {
		kernels = words(r, Linear, RBF)(n)
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

// erm makes one entry for each loss and each constraint of the model [ERM].
func (r *reader) erm(m Models, at item, fields map[string]item) []Models {
	if !fields["loss"].given() {
		r.problem(at, "the key loss is missing: one of %s, or a list", strings.Join(namesOf(lossTable), ", "))
		return nil
	}
	constraints := []Entry{{}}
	if n := fields["constraint"]; n.given() {
		constraints = nil
		for _, element := range r.many(n) {
			var e Entry
			if element.Value != "none" {
				var ok bool
				if e, ok = entry(r, element, constraintTable, noParameters); !ok {
					continue
				}
				r.checkBox(element, e.Choices)
			}
			if hasEntry(constraints, e.Name) {
				r.problem(element, "the constraint %s is given twice; its parameters take lists", cmp.Or(e.Name, "none"))
			}
			constraints = append(constraints, e)
		}
	}
	var losses []Entry
	var list []Models
	for _, element := range r.many(fields["loss"]) {
		loss, ok := entry(r, element, lossTable, noParameters)
		if !ok {
			continue
		}
		if hasEntry(losses, loss.Name) {
			r.problem(element, "the loss %s is given twice; its parameters take lists", loss.Name)
		}
		losses = append(losses, loss)
		for _, constraint := range constraints {
			one := m
			one.Loss, one.Constraint, one.place = loss, constraint, loss.place
			list = append(list, one)
		}
	}
	return list
}

// checkBox reports bounds that no coefficient is between.
func (r *reader) checkBox(n item, list choices) {
	for _, lower := range list.values("lower") {
		for _, upper := range list.values("upper") {
			if lower.Number > upper.Number {
				r.problem(n, "the lower bound %g is above the upper bound %g", lower.Number, upper.Number)
				return
			}
		}
	}
}
