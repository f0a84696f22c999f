package spelling

import (
	"slices"
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	t.Parallel()
	keys := strings.Fields("name seed repeats limits sweeps keep data split scale noise models regularizers methods age select")
	small := strings.Fields("c l1_ratio loss kernel kernel_gamma intercept alpha min max acs_step")
	for _, test := range []struct {
		name  string
		known []string
		want  string
	}{
		{"repeat", keys, "repeats"},
		{"Repeats", keys, "repeats"},
		{"regularisers", keys, "regularizers"},
		{"regs", keys, ""},
		{"reg", keys, "regularizers"},
		{"modles", keys, "models"}, // two neighbors exchanged
		{"method", keys, "methods"},
		{"timeout", keys, ""},
		{"alpah", small, "alpha"},
		{"alfa", small, "alpha"},
		{"gamma", small, "kernel_gamma"},
		{"step", small, "acs_step"},
		{"age_min", small, "min"},
		{"l1-ratio", small, "l1_ratio"},
		{"q", small, ""}, // no character in common with c
		{"mix", small, "min max"},
		{"", small, ""},
		{"größe", []string{"grösse", "Größe"}, "Größe"},
		{"column", []string{"column1", "column2", "column3", "column4"}, "column1 column2 column3"},
		{strings.Repeat("a", 101), []string{strings.Repeat("a", 101)}, ""},
	} {
		if got := Near(test.name, test.known); !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%q: near are %q, want %q", test.name, got, test.want)
		}
	}
}

func TestAfter(t *testing.T) {
	t.Parallel()
	known := []string{"acs", "gaga", "column1", "column2", "column3"}
	for name, want := range map[string]string{
		"gag": "; did you mean gaga?", "column": "; did you mean column1, column2 or column3?", "nsga": "",
	} {
		if got := After(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
