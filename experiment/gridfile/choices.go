package gridfile

import (
	"cmp"
	"slices"
)

// Entry is a thing in a grid, such as a method, with the values of its settings.
type Entry struct {
	Name    string
	Choices Choices // in the order of declaration

	Place Place
}

// Choice is a setting with its values.
type Choice struct {
	Values []Setting

	Info  *SettingInfo
	Place Place // its key is "" for the default
}

// Choices are settings with all combinations of their values.
type Choices []Choice

// Applying returns the choices for cells with these aspects.
func (c Choices) Applying(of Aspects) Choices {
	var list Choices
	for _, choice := range c {
		if choice.Info.applies(of) {
			list = append(list, choice)
		}
	}
	return list
}

func (c Choices) Count() int { return int(c.Most()) }

// Most returns the number of combinations, which may exceed int.
func (c Choices) Most() float64 {
	n := 1.0
	for i := range c {
		n *= float64(len(c[i].Values))
	}
	return n
}

// Sorted returns each setting's values, independent of their order in the grid.
func (c Choices) Sorted() [][]Setting {
	var list [][]Setting
	for i := range c {
		values := slices.Clone(c[i].Values)
		slices.SortFunc(values, func(a, b Setting) int {
			return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Word, b.Word))
		})
		list = append(list, values)
	}
	return list
}

// At returns the i-th combination; the last setting varies fastest.
func (c Choices) At(i int) Settings {
	var s Settings
	for k := len(c) - 1; k >= 0; k-- {
		n := len(c[k].Values)
		s[k] = c[k].Values[i%n]
		i /= n
	}
	return s
}

// Has reports whether settings of the same names are a combination.
func (c Choices) Has(s Settings) bool {
	for k := range c {
		if !slices.Contains(c[k].Values, s[k]) {
			return false
		}
	}
	return true
}

// Overlaps reports whether choices of the same names share a combination.
func (c Choices) Overlaps(other Choices) bool {
	for k := range c {
		if !Intersect(c[k].Values, other[k].Values) {
			return false
		}
	}
	return true
}

// Values returns a setting's values, or nil.
func (c Choices) Values(name string) []Setting {
	for i := range c {
		if c[i].Info.Name == name {
			return c[i].Values
		}
	}
	return nil
}

// Largest returns a setting's largest number, or 0.
func (c Choices) Largest(name string) float64 {
	most := 0.0
	for _, v := range c.Values(name) {
		most = max(most, v.Number)
	}
	return most
}

// Intersect reports whether two lists share a value.
func Intersect[T comparable](a, b []T) bool {
	if len(a) > 0 && len(b) > 0 && &a[0] == &b[0] {
		return true
	}
	set := make(map[T]bool, len(a))
	for _, x := range a {
		set[x] = true
	}
	return slices.ContainsFunc(b, func(x T) bool { return set[x] })
}
