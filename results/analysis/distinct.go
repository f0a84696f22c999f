package analysis

import (
	"maps"
	"strconv"
	"strings"

	"github.com/agepath/agepath/results/prose"
)

// exact writes a number with all its digits.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// distinguish makes numbers that differ look so: 0.3 and a range's 0.30000000000000004 would be
// two rows, or two methods, with the same words. Others are shown with the digits that readers
// expect.
func (g *cellGroups) distinguish() {
	type shown struct {
		d    Dimension
		text string
	}
	first, alike := map[shown]Value{}, map[shown]bool{}
	methods, short := map[string]string{}, map[string]string{} // short by exact, and a method of each short one
	shared := map[string]bool{}
	each := func(setting Setting) {
		for d, value := range setting {
			if !value.IsNumber {
				continue
			}
			at := shown{Dimension(d), value.String()}
			if other, known := first[at]; !known {
				first[at] = value
			} else if other != value {
				alike[at] = true
			}
		}
	}
	for setting, entries := range g.entries {
		each(setting)
		for method := range entries {
			if methods[method] == "" {
				text := shortMethod(method)
				methods[method] = text
				if short[text] != "" {
					shared[text] = true
				}
				short[text] = method
			}
		}
	}
	for setting := range maps.Keys(g.floors) {
		each(setting)
	}
	tell := func(setting Setting) Setting {
		for d, value := range setting {
			if value.IsNumber && alike[shown{Dimension(d), value.String()}] {
				setting[d].Text = exact(value.Number)
			}
		}
		return setting
	}
	entries := make(map[Setting]methodEntries, len(g.entries))
	for setting, of := range g.entries {
		named := make(methodEntries, len(of))
		for method, entry := range of {
			if text := methods[method]; !shared[text] {
				method = text
			}
			named[method] = entry
		}
		entries[tell(setting)] = named
	}
	floors := make(map[Setting]*ScoreEntry, len(g.floors))
	for setting, entry := range g.floors {
		floors[tell(setting)] = entry
	}
	g.entries, g.floors = entries, floors
}

// shortMethod writes the numbers of a method's settings as readers expect them.
func shortMethod(method string) string {
	if !strings.Contains(method, "=") {
		return method
	}
	words := strings.Fields(method)
	for i, word := range words {
		name, value, found := strings.Cut(word, "=")
		if x, err := strconv.ParseFloat(value, 64); found && err == nil {
			words[i] = name + "=" + prose.Short(x)
		}
	}
	return strings.Join(words, " ")
}
