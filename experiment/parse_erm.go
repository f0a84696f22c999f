package experiment

import (
	"cmp"
	"slices"
	"strings"
)

// erm makes one entry for each loss and each constraint of the model [ERM].
func (r *reader) erm(m Models, at item, fields map[string]item) []Models {
	m.Ratios = []float64{0}
	if n := fields["l1_ratio"]; n.given() {
		m.Ratios = r.numbers(n, properShare)
	}
	if !fields["loss"].given() {
		r.problem(at, "the key loss is missing: one of %s, or a list", strings.Join(lossNames(), ", "))
		return nil
	}
	constrained := []Models{m}
	if n := fields["constraint"]; n.given() {
		constrained = nil
		for _, element := range r.many(n) {
			one := m
			if element.Value != "none" {
				name, list, ok := r.term(element, constraintNames(), func(name string) []settingInfo { return lookupConstraint(name).settings })
				if !ok {
					continue
				}
				one.Constraint, one.ConstraintChoices = name, list
				r.checkBox(element, list)
			}
			if slices.ContainsFunc(constrained, func(other Models) bool { return other.Constraint == one.Constraint }) {
				r.problem(element, "the constraint %s is given twice; its parameters take lists", cmp.Or(one.Constraint, "none"))
			}
			constrained = append(constrained, one)
		}
	}
	var list []Models
	for _, element := range r.many(fields["loss"]) {
		name, parameters, ok := r.term(element, lossNames(), func(name string) []settingInfo { return lookupLoss(name).settings })
		if !ok {
			continue
		}
		if slices.ContainsFunc(list, func(other Models) bool { return other.Loss == name }) {
			r.problem(element, "the loss %s is given twice; its parameters take lists", name)
		}
		for _, one := range constrained {
			one.Loss, one.LossChoices = name, parameters
			one.place = r.place(element)
			list = append(list, one)
		}
	}
	return list
}

// term reads a loss or a constraint: a name, or a map of a name to parameters.
func (r *reader) term(n item, names []string, parameters func(string) []settingInfo) (string, choices, bool) {
	name, given, ok := r.entry(n, names)
	if !ok {
		return "", nil, false
	}
	infos := parameters(name)
	if len(infos) == 0 && given.given() {
		r.problem(given, "%s has no parameters; write the name alone", name)
		return "", nil, false
	}
	fields := map[string]item{}
	if given.given() {
		allowed := make([]string, len(infos))
		for i := range infos {
			allowed[i] = infos[i].name
		}
		if fields = r.fields(given, allowed...); fields == nil {
			return "", nil, false
		}
	}
	var list choices
	for i := range infos {
		info := &infos[i]
		switch field := fields[info.name]; {
		case info.needed && !field.given():
			r.problem(n, "the key %s is missing: %s", info.name, info.want())
			return "", nil, false
		case info.columns:
			list = append(list, r.columns(field, info))
		default:
			list = append(list, r.choice(fields, info))
		}
	}
	return name, list, true
}

// columns reads names and indexes of features.
func (r *reader) columns(n item, info *settingInfo) Choice {
	c := Choice{info: info, place: r.place(n)}
	words := r.texts(n)
	for _, word := range words {
		if strings.Contains(word, ",") {
			r.problem(n, "%q has a comma in it, which is not allowed; take the feature's index", clip(word))
		}
	}
	c.Values = []Setting{{Name: info.name, Word: strings.Join(words, ",")}}
	return c
}

// checkBox reports bounds that no coefficient is between.
func (r *reader) checkBox(n item, list choices) {
	lower, upper := -1, -1
	for i := range list {
		switch list[i].info.name {
		case "lower":
			lower = i
		case "upper":
			upper = i
		}
	}
	if lower < 0 || upper < 0 {
		return
	}
	for _, l := range list[lower].Values {
		for _, u := range list[upper].Values {
			if l.Number > u.Number {
				r.problem(n, "the lower bound %g is above the upper bound %g", l.Number, u.Number)
				return
			}
		}
	}
}
