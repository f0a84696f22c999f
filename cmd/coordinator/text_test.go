package main

import (
	"math"
	"strings"
	"testing"
)

func TestHumanTime(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{
		0: "0 s", 0.04: "0 s", 0.35: "0.3 s", 0.96: "1.0 s", 1: "1 s", 59.4: "59 s", 59.6: "1 min", 60: "1 min",
		61: "1 min 1 s", 200: "3 min 20 s", 3599.7: "1 h", 3600: "1 h", 18720: "5 h 12 min", 86399: "1 d",
		273600: "3 d 4 h", 1e9: "11574 d 2 h", math.Inf(1): "unknown",
	} {
		if have := humanTime(seconds); have != want {
			t.Errorf("%g seconds are %q, want %q", seconds, have, want)
		}
	}
}

func TestTextTable(t *testing.T) {
	t.Parallel()
	table := textTable{{"name", ">rows", "note"}}
	table.add("müsic", "1059", "")
	table.add("a", "7", "x")
	var b strings.Builder
	if err := table.write(&b); err != nil {
		t.Fatal(err)
	}
	const want = "name   rows  note\nmüsic  1059\na         7  x\n"
	if b.String() != want {
		t.Errorf("\n%s\nwant\n%s", b.String(), want)
	}
}
