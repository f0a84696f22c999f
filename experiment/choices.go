package experiment

import (
	"cmp"
	"slices"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
)

// Entry is something that a grid names: a regularizer, a method, a loss or a
// constraint, with the values of its settings.
type Entry struct {
	Name    string
	Choices choices // in the order of their declaration

	program *outside.Program // of a method from outside, without the digests of its files
	place   place
}

// method returns what is declared of a method of a grid.
func (e *Entry) method() *methodInfo {
	if e.program == nil {
		return lookup(methodTable, e.Name)
	}
	info, err := commandInfo(e.Name, e.program.WithoutFiles())
	if err != nil {
		panic(err) // the reader has checked it
	}
	return info
}

// Choice is a setting with the values that a grid gives it.
type Choice struct {
	Values []Setting // all of one name

	info  *settingInfo
	place place // where the grid gives it; its key is "" for the default
}

// choices are settings with all combinations of their values.
type choices []Choice

// applying returns the choices of settings that cells of a task and a
// regularizer have.
func (c choices) applying(task dataset.Task, regularizer string) choices {
	var list choices
	for _, choice := range c {
		if choice.info.applies(task, regularizer) {
			list = append(list, choice)
		}
	}
	return list
}

// count returns the number of combinations.
func (c choices) count() int { return int(c.most()) }

// most is count without overflow, for checking it.
func (c choices) most() float64 {
	n := 1.0
	for i := range c {
		n *= float64(len(c[i].Values))
	}
	return n
}

// sorted returns the values of each setting in an order of their own.
func (c choices) sorted() [][]Setting {
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

// at returns the i-th combination; the last setting varies fastest.
func (c choices) at(i int) Settings {
	var s Settings
	for k := len(c) - 1; k >= 0; k-- {
		n := len(c[k].Values)
		s[k] = c[k].Values[i%n]
		i /= n
	}
	return s
}

// has reports whether the settings are one of the combinations. They are of the
// same names.
func (c choices) has(s Settings) bool {
	for k := range c {
		if !slices.Contains(c[k].Values, s[k]) {
			return false
		}
	}
	return true
}

// overlaps reports whether two choices of the same names have a combination in
// common.
func (c choices) overlaps(other choices) bool {
	for k := range c {
		if !intersect(c[k].Values, other[k].Values) {
			return false
		}
	}
	return true
}

// values returns the values of the setting of that name, nil for one that the
// choices do not have.
func (c choices) values(name string) []Setting {
	for i := range c {
		if c[i].info.name == name {
			return c[i].Values
		}
	}
	return nil
}

// largest returns the largest number that a setting takes, 0 for one that the
// choices do not have.
func (c choices) largest(name string) float64 {
	most := 0.0
	for _, v := range c.values(name) {
		most = max(most, v.Number)
	}
	return most
}

func intersect[T comparable](a, b []T) bool {
	if len(a) > 0 && len(b) > 0 && &a[0] == &b[0] {
		return true
	}
	set := make(map[T]bool, len(a))
	for _, x := range a {
		set[x] = true
	}
	return slices.ContainsFunc(b, func(x T) bool { return set[x] })
}
