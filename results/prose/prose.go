// Package prose formats numbers, counts and names for readers of reports and figures.
package prose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Fixed writes x with the given number of decimals, never "-0".
func Fixed(x float64, places int) string {
	text := strconv.FormatFloat(x, 'f', places, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Plural counts a noun: "1 row", "2 rows".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Short writes a parameter with at most 10 significant digits: 0.3 for 0.30000000000000004.
func Short(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

// Wrap breaks text into lines that fit: after commas where the text between two commas fits in a
// line, otherwise at spaces.
func Wrap(words string, fits func(string) bool) []string {
	pieces := strings.Fields(words)
	clauses := strings.SplitAfter(strings.Join(pieces, " "), ",")
	for i := range clauses {
		clauses[i] = strings.TrimSpace(clauses[i])
	}
	if !slices.ContainsFunc(clauses, func(clause string) bool { return !fits(clause) }) {
		pieces = clauses
	}
	return Lines(pieces, fits)
}

// Lines joins pieces by spaces into lines that fit. A piece that does not fit gets its own line.
func Lines(pieces []string, fits func(string) bool) []string {
	var lines []string
	line := ""
	for _, piece := range pieces {
		switch {
		case line == "":
			line = piece
		case fits(line + " " + piece):
			line += " " + piece
		default:
			lines = append(lines, line)
			line = piece
		}
	}
	return append(lines, line)
}

// Slug turns texts into lower-case letters, digits, dots and dashes for a file name.
func Slug(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		if text == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		for _, r := range strings.ToLower(text) {
			switch {
			case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '.':
				b.WriteRune(r)
			default:
				b.WriteByte('-')
			}
		}
	}
	parts := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' })
	return strings.Trim(strings.Join(parts, "-"), ".")
}

// MeanOver states what is shown over repeats; of one it is the repeat.
func MeanOver(what, repeats string) string {
	if repeats == Plural(1, "repeat") {
		return repeats
	}
	return what + " over " + repeats
}
