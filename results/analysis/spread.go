package analysis

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/agepath/agepath/results/layout"
)

// ignored is a set of the layout's ignorable dimensions, by their position.
type ignored uint16

// missing returns which dimensions of the setting are null.
func missing(l *layout.Layout, s Setting) ignored {
	var set ignored
	for i, d := range l.Ignorable {
		if s[d].IsNull() {
			set |= 1 << i
		}
	}
	return set
}

// project returns the setting with the dimensions of the set null.
func project(l *layout.Layout, s Setting, set ignored) Setting {
	for i, d := range l.Ignorable {
		if set&(1<<i) != 0 {
			s[d] = Value{}
		}
	}
	return s
}

// spreadIgnored moves entries of methods that ignore dimensions into the rows of
// other methods that agree in the rest and say more. They stay where there are
// none. Of two entries of a method in a row the one that says more counts.
func spreadIgnored(l *layout.Layout, entries map[Setting]methodEntries) {
	sets := map[ignored]bool{}
	for setting := range entries {
		sets[missing(l, setting)] = true
	}
	// fuller holds, for each setting, those that complete it.
	fuller := map[Setting][]Setting{}
	for set := range sets {
		for setting := range entries {
			if has := missing(l, setting); has&set == has && has != set {
				if plain := project(l, setting, set); entries[plain] != nil {
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
		return cmp.Or(cmp.Compare(bits.OnesCount16(uint16(missing(l, a))), bits.OnesCount16(uint16(missing(l, b)))), a.Compare(b))
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
