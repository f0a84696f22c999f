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
	switch {
	case hasDigitsOnly(b):
	case missing(b):
		return 0, isMissing
	case infinite(b):
		return 0, isInfinite
	default:
		return 0, isText
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

// hasDigitsOnly also takes signs, points and exponents, but not the hexadecimal digits and
// underscores of strconv.
func hasDigitsOnly(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return false
		}
	}
	return len(b) > 0
}

// number ignores given marks of missing values.
func (o *Options) number(b []byte) (float64, kind) {
	if o.Decimal == decimalComma && !missing(b) {
		if bytes.IndexByte(b, '.') >= 0 {
			return 0, isText
		}
		b = bytes.Replace(b, []byte{','}, []byte{'.'}, 1)
	}
	return parse(b)
}

func (o *Options) parse(b []byte) (float64, kind) {
	if o.Marks == nil {
		return o.number(b)
	}
	if len(b) == 0 || slices.ContainsFunc(o.Marks, func(mark string) bool { return mark == string(b) }) {
		return 0, isMissing
	}
	v, kind := o.number(b)
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
