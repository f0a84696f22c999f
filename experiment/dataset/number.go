package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// kind tells what a field holds.
type kind uint8

const (
	isNumber   kind = iota
	isMissing       // empty, ?, NA or NaN
	isInfinite      // or beyond the range of a float64
	isText
)

// parse reads a field without blanks around it. The value is that of a
// number.
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
		// strconv also takes hexadecimal numbers and underscores.
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

// notNumber says why a field that is no number does not fit a column of numbers.
func notNumber(b []byte, kind kind) error {
	if kind == isInfinite {
		return fmt.Errorf("%q is infinite: allowed are finite numbers", short(b))
	}
	return fmt.Errorf("text %q in a number column", short(b))
}

// powers are the powers of ten that a float64 holds exactly, as far as
// parseShort needs them.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseShort reads a decimal number of at most 15 digits without exponent,
// which is nearly all of them in tables. Digits and power of ten are exact,
// so that the one division rounds correctly (Clinger 1990).
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

// missing tells whether a field says that its value is missing.
func missing(b []byte) bool {
	switch len(b) {
	case 0:
		return true
	case 1:
		return b[0] == '?'
	case 2:
		return b[0] == 'N' && b[1] == 'A'
	case 3:
		return equalFold(b, "nan")
	}
	return false
}

func infinite(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	return equalFold(b, "inf") || equalFold(b, "infinity")
}

// equalFold compares without regard to case.
func equalFold(b []byte, word string) bool {
	return len(b) == len(word) && strings.EqualFold(string(b), word)
}
