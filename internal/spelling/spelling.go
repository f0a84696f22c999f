// Package spelling suggests known names for a mistyped one.
package spelling

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hbollon/go-edlib"
)

const (
	longest = 100 // characters of a name that is compared
	most    = 3   // names that are shown
	part    = 3   // characters of a name that is found within another one
)

// After returns the end of a message, "; did you mean a, b or c?", or "" if no known name is near.
func After(name string, known []string) string {
	names := Near(name, known)
	if len(names) == 0 {
		return ""
	}
	last := len(names) - 1
	if last > 0 {
		names = []string{strings.Join(names[:last], ", ") + " or " + names[last]}
	}
	return "; did you mean " + names[0] + "?"
}

// Near returns the nearest known names, at most three, in their order. Up to a third of a name's
// characters may be edits. A common beginning is one edit, a name inside the other two. Case is
// ignored.
func Near(name string, known []string) []string {
	name = strings.ToLower(name)
	var nearest []string
	if utf8.RuneCountInString(name) > longest {
		return nil
	}
	best := longest
	for _, other := range known {
		edits, near := away(name, strings.ToLower(other))
		if !near || edits > best {
			continue
		}
		if edits < best {
			best, nearest = edits, nearest[:0]
		}
		if len(nearest) < most && !slices.Contains(nearest, other) {
			nearest = append(nearest, other)
		}
	}
	return nearest
}

// away counts the edits between two names and reports whether that is near.
func away(name, other string) (edits int, near bool) {
	length, n := utf8.RuneCountInString(name), utf8.RuneCountInString(other)
	short, long := min(length, n), max(length, n)
	if short == 0 || long > longest {
		return 0, false
	}
	allowed := (long + 1) / 3
	edits = long
	if long-short <= allowed {
		edits = edlib.OSADamerauLevenshteinDistance(name, other)
	}
	switch {
	case length >= part-1 && strings.HasPrefix(other, name):
		edits = min(edits, 1)
	case short >= part && (strings.Contains(other, name) || strings.Contains(name, other)):
		edits = min(edits, 2)
	default:
		return edits, edits <= allowed && edits < short
	}
	return edits, true
}
