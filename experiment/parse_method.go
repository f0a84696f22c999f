package experiment

import (
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// methods reads the key methods.
func (r *reader) methods(n item) []Methods {
	var list []Methods
	for _, entry := range r.list(n) {
		name, settings, ok := r.entry(entry, methodNames())
		if !ok {
			continue
		}
		if slices.ContainsFunc(list, func(other Methods) bool { return other.Name == name }) {
			r.problem(entry, "the method %s is given twice; its settings take lists", name)
		}
		info := lookupMethod(name)
		m := Methods{Name: name, place: r.place(entry)}
		if len(info.settings) == 0 && settings.given() {
			r.problem(settings, "%s has no settings of its own; write the name alone (ages are in the key age)", name)
			continue
		}
		fields := map[string]item{}
		if settings.given() {
			fields = r.fields(settings, info.settingNames()...)
		}
		for i := range info.settings {
			m.Choices = append(m.Choices, r.choice(fields, &info.settings[i]))
		}
		list = append(list, m)
	}
	return list
}

// settingNames returns the names of the method's settings.
func (m *methodInfo) settingNames() []string {
	names := make([]string, len(m.settings))
	for i := range m.settings {
		names[i] = m.settings[i].name
	}
	return names
}

// choice reads the values of one setting, its default where it is not given.
func (r *reader) choice(fields map[string]item, info *settingInfo) Choice {
	n := fields[info.name]
	if !n.given() {
		value := info.standard
		value.Name = info.name
		return Choice{Values: []Setting{value}, info: info}
	}
	c := Choice{info: info, place: r.place(n)}
	switch {
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
		for _, x := range r.numbers(n, rule{allows: info.rule.allows, want: info.want()}) {
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
	value.Number, ok = r.number(n, rule{allows: info.rule.allows, want: info.want()})
	return value, ok
}

// whole returns the rule of whole numbers from low to high.
func whole(low, high int) rule {
	return rule{
		allows: func(x float64) bool { return x >= float64(low) && x <= float64(high) && x == math.Trunc(x) },
		want:   "a whole number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high),
	}
}
