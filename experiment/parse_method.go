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
	case info.words != nil:
		for _, element := range r.many(n) {
			value := Setting{Name: info.name, Word: oneOf(r, element, info.words...)}
			if value.Word != "" && slices.Contains(c.Values, value) {
				r.problem(element, "%s is given twice", value.Word)
			}
			c.Values = append(c.Values, value)
		}
	default:
		for _, x := range r.numbers(n, info.rule) {
			c.Values = append(c.Values, Setting{Name: info.name, Number: x})
		}
	}
	return c
}

// whole returns the rule of whole numbers from low to high.
func whole(low, high int) rule {
	return rule{
		allows: func(x float64) bool { return x >= float64(low) && x <= float64(high) && x == math.Trunc(x) },
		want:   "a whole number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high),
	}
}
