package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"math/big"
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
		if b = withoutD(b); !hasDigitsOnly(b) {
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

// withoutD writes E for the D of Fortran's exponents, as in 1.0D+05.
func withoutD(b []byte) []byte {
	if at := bytes.IndexAny(b, "dD"); at > 0 && bytes.IndexByte(b[:at], '.') >= 0 {
		return slices.Concat(b[:at], []byte{'E'}, b[at+1:])
	}
	return b
}

// number ignores given marks of missing values.
func (o *Options) number(b []byte) (float64, kind) { return parse(o.plain(b)) }

var typographic = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'")

// plain returns a number with a decimal point and without marks of thousands, a mark of a missing
// value as it is, and other text with a letter in it.
func (o *Options) plain(b []byte) []byte {
	b = bytes.ReplaceAll(bytes.TrimSpace(b), []byte("−"), []byte("-")) // also of quoted ones; as typesetters write
	if o.Decimal != decimalComma && o.Thousands == "" || missing(b) || infinite(b) {
		return b
	}
	text := string(b)
	if o.Thousands == " " || o.Thousands == "'" {
		text = typographic.Replace(text)
	}
	if o.Thousands != "" {
		end := strings.IndexAny(text, cmp.Or(o.Decimal, decimalPoint)+"eEdD")
		if end < 0 {
			end = len(text)
		}
		groups := strings.Split(text[:end], o.Thousands)
		for i, group := range groups[1:] {
			first := strings.TrimLeft(groups[0], "+-")
			if len(group) != 3 || i == 0 && (len(first) == 0 || len(first) > 3 || first[0] == '0') {
				return []byte("x")
			}
		}
		text = strings.Join(groups, "") + text[end:]
	}
	if o.Decimal == decimalComma {
		if strings.Contains(text, decimalPoint) {
			return []byte("x")
		}
		text = strings.Replace(text, decimalComma, decimalPoint, 1)
	}
	return []byte(text)
}

// exactDigits is the number of digits that a float64 always keeps.
const exactDigits = 15

// exactNumber returns the shortest form of a number, with all digits where a float64 has fewer.
func exactNumber(text []byte, v float64) string {
	short := formatNumber(v)
	if len(text) > exactDigits {
		if x := decimal(string(withoutD(text))); x.Cmp(decimal(short)) != 0 {
			return x.Text('g', -1)
		}
	}
	return short
}

// decimal parses a numeral to 330 digits.
func decimal(text string) *big.Float {
	x, _, err := big.ParseFloat(text, 10, 1100, big.ToNearestEven)
	if err != nil {
		return new(big.Float)
	}
	return x
}

// losesDigits reports whether a number does not give back the digits of its text.
func losesDigits(text []byte, v float64) bool {
	if len(text) <= exactDigits {
		return false
	}
	numeral := string(withoutD(text))
	mantissa, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(numeral, "+-0.")), "e")
	digits := len(strings.Replace(mantissa, ".", "", 1))
	return digits > exactDigits && decimal(numeral).Cmp(decimal(strconv.FormatFloat(v, 'e', digits-1, 64))) != 0
}

// missing matches the marks of pandas, ?, KEEL's <null> and MySQL's \N.
func missing(b []byte) bool {
	switch string(b) {
	case "", "?", `\N`, "NA", "N/A", "n/a", "NULL", "null", "None", "<NA>", "<null>", "#N/A", "#NA", "#N/A N/A",
		"-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN":
		return true
	}
	return equalFold(b, "nan")
}

func infinite(b []byte) bool {
	b = trimSign(b)
	return equalFold(b, "inf") || equalFold(b, "infinity")
}

func equalFold(b []byte, word string) bool {
	return len(b) == len(word) && strings.EqualFold(string(b), word)
}
