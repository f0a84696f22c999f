package dataset

import (
	"math"
	"strconv"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]kind{
		"0": isNumber, "-0": isNumber, "+1.5": isNumber, "1.": isNumber, ".5": isNumber, "1e5": isNumber,
		"123456789012345": isNumber, "1234567890123456": isNumber, "0.123456789012345678": isNumber, "1e-400": isNumber,
		"": isMissing, "?": isMissing, "NA": isMissing, "nan": isMissing, "NaN": isMissing, "NAN": isMissing,
		"inf": isInfinite, "-Inf": isInfinite, "+INFINITY": isInfinite, "1e309": isInfinite, "-1e309": isInfinite,
		".": isText, "-": isText, "+": isText, "+-1": isText, "1.2.3": isText, "1e": isText, "e5": isText, "0x1p4": isText,
		"1_000": isText, "1,5": isText, "12a": isText, "na": isText, "??": isText, "infin": isText, "1 2": isText, "١": isText,
	} {
		v, kind := parse([]byte(text))
		if kind != want {
			t.Errorf("%q is kind %d, want %d", text, kind, want)
		}
		if number, err := strconv.ParseFloat(text, 64); kind == isNumber && (err != nil || number != v || math.Signbit(number) != math.Signbit(v)) {
			t.Errorf("%q is %v, want %v", text, v, number)
		}
	}
}

func TestParseDoesNotAllocate(t *testing.T) {
	for _, text := range []string{"12.5", "-3.0625e-7", "0.1234567890123456789", "?"} {
		field := []byte(text)
		if n := testing.AllocsPerRun(100, func() { parse(field) }); n > 0 {
			t.Errorf("%q: %v allocations", text, n)
		}
	}
}
