package analysis

import (
	"cmp"
	"math/bits"
	"slices"
)

// ignorable are the dimensions that some methods ignore: their cells have null
// there and stand beside every value that other methods have.
var ignorable = []Dimension{
	DimRegularizer, DimRegularizerParam, DimKernel, DimKernelGamma, DimC, DimAlpha, DimL1Ratio,
	DimAgeMin, DimAgeMax, DimAgeStep, DimIntercept,
}

// ignored is a set of ignorable dimensions, by their position.
type ignored uint16

// missing returns which dimensions of the setting are null.
func (s Setting) missing() ignored {
	var set ignored
	for i, d := range ignorable {
		if s[d].IsNull() {
			set |= 1 << i
		}
	}
	return set
}

// project returns the setting with the dimensions of the set null.
func (s Setting) project(set ignored) Setting {
	for i, d := range ignorable {
		if set&(1<<i) != 0 {
			s[d] = Value{}
		}
	}
	return s
}

// spreadIgnored moves entries of methods that ignore dimensions into the rows of
// other methods that agree in the rest and say more. They stay where there are
// none. Of two entries of a method in a row the one that says more counts.
func spreadIgnored(entries map[Setting]methodEntries) {
	sets := map[ignored]bool{}
	for setting := range entries {
		sets[setting.missing()] = true
	}
	// fuller holds, for each setting, those that complete it.
	fuller := map[Setting][]Setting{}
	for set := range sets {
		for setting := range entries {
			if has := setting.missing(); has&set == has && has != set {
				if plain := setting.project(set); entries[plain] != nil {
					fuller[plain] = append(fuller[plain], setting)
				}
			}
		}
	}
	moved := make([]Setting, 0, len(fuller))
	for plain := range fuller {
		moved = append(moved, plain)
	}
	// Those that say most come first, so that what they bring counts.
	slices.SortFunc(moved, func(a, b Setting) int {
		return cmp.Or(cmp.Compare(bits.OnesCount16(uint16(a.missing())), bits.OnesCount16(uint16(b.missing()))), a.Compare(b))
	})
	for _, plain := range moved {
		for method, entry := range entries[plain] {
			for _, setting := range fuller[plain] {
				if fuller[setting] == nil && entries[setting][method] == nil {
					entries[setting][method] = entry
				}
			}
		}
	}
	for _, plain := range moved {
		delete(entries, plain)
	}
}
