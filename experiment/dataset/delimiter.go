package dataset

import (
	"bytes"
	"iter"
)

func textLines(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if len(bytes.TrimSpace(line)) > 0 && !yield(line) {
				return
			}
		}
	}
}

// firstLines replaces quoted fields by a letter.
func firstLines(text []byte) [][]byte {
	const most = 20
	var list [][]byte
	for line := range textLines(text) {
		if list = append(list, withoutQuoted(line)); len(list) == most {
			break
		}
	}
	return list
}

func withoutQuoted(line []byte) []byte {
	if bytes.IndexByte(line, '"') < 0 {
		return line
	}
	bare := make([]byte, 0, len(line))
	starts := true
	for i := 0; i < len(line); i++ {
		c := line[i]
		if starts && c == '"' {
			for i++; i < len(line) && (line[i] != '"' || i+1 < len(line) && line[i+1] == '"'); i++ {
				if line[i] == '"' {
					i++
				}
			}
			c = 'q'
		}
		bare = append(bare, c)
		starts = c == ',' || c == ';' || c == '\t' || c == ' '
	}
	return bare
}

// isTabbed reports whether lines have equally many tabs but different numbers of words: fields
// contain blanks.
func isTabbed(lines [][]byte) bool {
	words, tabs := len(bytes.Fields(lines[0])), bytes.Count(lines[0], []byte{'\t'})
	other := false
	for _, line := range lines {
		if bytes.Count(line, []byte{'\t'}) != tabs {
			return false
		}
		other = other || len(bytes.Fields(line)) != words
	}
	return tabs > 0 && other
}

// separates reports whether delim separates fields despite commas in the first line, which are
// decimal or vary in number.
func separates(lines [][]byte, delim byte, decimal string) bool {
	if len(lines) == 0 || bytes.IndexByte(lines[0], delim) < 0 {
		return false
	}
	if bytes.IndexByte(lines[0], ',') < 0 || decimal == decimalComma || areDecimals(lines[0], delim) {
		return true
	}
	commas, even := false, delim != ' ' && len(lines) > 1
	for _, line := range lines[1:] {
		commas = commas || bytes.Count(line, []byte{','}) != bytes.Count(lines[0], []byte{','})
		even = even && bytes.Count(line, []byte{delim}) == bytes.Count(lines[0], []byte{delim})
	}
	return commas && even
}

func areDecimals(line []byte, delim byte) bool {
	for field := range bytes.SplitSeq(line, []byte{delim}) {
		if field = trim(field); bytes.IndexByte(field, ',') >= 0 && !isDecimalComma(field) {
			return false
		}
	}
	return true
}
