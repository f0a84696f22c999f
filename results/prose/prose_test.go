package prose

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for words, want := range map[string][]string{
		"one two  three extraordinarily four": {"one two", "three", "extraordinarily", "four"},
		"a, b 0.1, c d e":                     {"a, b 0.1,", "c d e"},
		"a, noise flip 0.3":                   {"a, noise", "flip 0.3"}, // a clause does not fit
		"":                                    {""},
	} {
		if got := Wrap(words, func(s string) bool { return len(s) <= 9 }); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}
