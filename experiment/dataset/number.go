package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type kind uint8

const (
	isNumber kind = iota
	isMissing
	isInfinite // or beyond float64
	isText
)

func parse(b []byte) (float64, kind) {
	if v, ok := parseShort(b); ok {
		return v, isNumber
	}
	if missing(b) {
		return 0, isMissing
	}
	if infinite(b) {
		return 0, isInfinite
	}
	for _, c := range b {
		// strconv also accepts hexadecimal numbers and underscores.
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, isText
		}
	}
	v, err := strconv.ParseFloat(string(b), 64)
	switch {
	case err == nil:
		return v, isNumber
	case errors.Is(err, strconv.ErrRange):
		return 0, isInfinite
	}
	return 0, isText
}

type numerals struct {
	comma   bool            // decimal commas
	marks   map[string]bool // nil for the defaults
	scratch []byte
}

func newNumerals(o Options) numerals {
	n := numerals{comma: o.Decimal == decimalComma}
	if o.Marks != nil {
		n.marks = make(map[string]bool, len(o.Marks))
		for _, mark := range o.Marks {
			n.marks[mark] = true
		}
	}
	return n
}

// number ignores given marks of missing values.
func (n *numerals) number(b []byte) (float64, kind) {
	if !n.comma {
		return parse(b)
	}
	if missing(b) {
		return 0, isMissing
	}
	if bytes.IndexByte(b, '.') >= 0 {
		return 0, isText
	}
	n.scratch = append(n.scratch[:0], b...)
	if i := bytes.IndexByte(n.scratch, ','); i >= 0 {
		n.scratch[i] = '.'
	}
	return parse(n.scratch)
}

func (n *numerals) parse(b []byte) (float64, kind) {
	if n.marks == nil {
		return n.number(b)
	}
	if len(b) == 0 || n.marks[string(b)] {
		return 0, isMissing
	}
	v, kind := n.number(b)
	if kind == isMissing {
		kind = isText
	}
	return v, kind
}

func isDecimalComma[T string | []byte](text T) bool {
	b := []byte(text)
	i := bytes.IndexByte(b, ',')
	if i < 0 || i+1 == len(b) || b[i+1] < '0' || b[i+1] > '9' || bytes.IndexByte(b, '.') >= 0 {
		return false
	}
	_, kind := parse(slices.Concat(b[:i], []byte{'.'}, b[i+1:]))
	return kind == isNumber
}

// numberLike matches decimal commas, separated thousands, currencies and percent.
var numberLike = regexp.MustCompile(`^[+-]?[$€£¥]? ?[+-]?(\d{1,3}([., '’\x{a0}\x{202f}]\d{3})+|\d+)?([.,]\d+)?([eE][+-]?\d+)? ?[%€$£¥]?$`)

func looksNumber[T string | []byte](text T) bool {
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	return bytes.ContainsFunc([]byte(text), digit) && numberLike.Match([]byte(text))
}

const decimalHint = `; decimal: "," reads decimal commas`

func notNumber(b []byte, kind kind) error {
	if kind == isInfinite {
		return fmt.Errorf("%q is infinite: allowed are finite numbers", short(b))
	}
	return fmt.Errorf("text %q in a number column", short(b))
}

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseShort reads up to 15 digits without exponent, the usual case. Digits and power are exact, so
// that one division rounds correctly (Clinger 1990).
func parseShort(b []byte) (v float64, ok bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	if len(b)-i > 16 {
		return 0, false
	}
	var digits uint64
	n, point := 0, -1
	for ; i < len(b); i++ {
		c := b[i] - '0'
		switch {
		case c <= 9:
			digits = digits*10 + uint64(c)
			n++
		case b[i] == '.' && point < 0:
			point = n
		default:
			return 0, false
		}
	}
	if n == 0 || n > 15 {
		return 0, false
	}
	v = float64(digits)
	if point >= 0 {
		v /= powers[n-point]
	}
	if negative {
		v = -v
	}
	return v, true
}

// missing matches the marks of pandas, ? and KEEL's <null>.
func missing(b []byte) bool {
	switch string(b) {
	case "", "?", "NA", "N/A", "n/a", "NULL", "null", "None", "<NA>", "<null>", "#N/A", "#NA", "#N/A N/A",
		"-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN":
		return true
	}
	return equalFold(b, "nan")
}

func infinite(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	return equalFold(b, "inf") || equalFold(b, "infinity")
}

func equalFold(b []byte, word string) bool {
	return len(b) == len(word) && strings.EqualFold(string(b), word)
}
