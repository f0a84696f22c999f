package layout

import (
	"cmp"

	"github.com/agepath/agepath/results/prose"
)

// Value is the value of a dimension: a text, a number, or neither where the
// dimension does not apply (the zero Value). A number with a text is shown as that: one that
// [Value.String] would round to what another one is.
type Value struct {
	Text     string
	Number   float64
	IsNumber bool
}

// IsNull reports whether the dimension does not apply.
func (v Value) IsNull() bool { return v == Value{} }

// String returns the value as a grid file would write it, "" for null.
func (v Value) String() string {
	if v.IsNumber && v.Text == "" {
		return prose.Short(v.Number)
	}
	return v.Text
}

// CompareValues orders null before numbers before texts.
func CompareValues(a, b Value) int {
	rank := func(v Value) int {
		switch {
		case v.IsNumber:
			return 1
		case v.Text != "":
			return 2
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(a.Number, b.Number),
		cmp.Compare(a.Text, b.Text),
	)
}

// Setting is what a row of a table stands for: a value of every dimension of a
// layout, null beyond them. It is comparable.
type Setting [MaxDimensions]Value

// Compare orders settings dimension by dimension.
func (s Setting) Compare(other Setting) int {
	for d := range s {
		if c := CompareValues(s[d], other[d]); c != 0 {
			return c
		}
	}
	return 0
}

// Without returns the setting with the given dimensions set to null.
func (s Setting) Without(ds ...Dimension) Setting {
	for _, d := range ds {
		s[d] = Value{}
	}
	return s
}
