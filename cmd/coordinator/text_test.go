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

func TestRoughTime(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{
		0: "0 s", -1: "0 s", 0.04: "< 1 s", 0.9: "< 1 s", 1.3: "1.5 s", 2.6: "2.5 s", 2.8: "3 s", 11.96: "10 s", 13: "15 s", 29: "30 s",
		57: "1 min", 84: "1.5 min", 97: "1.5 min", 396: "7 min", 3500: "1 h", 7560: "2 h", 80000: "20 h", 84000: "1 d",
		273600: "3 d", 1e9: "10000 d", math.Inf(1): "unknown", math.NaN(): "unknown",
	} {
		if have := roughTime(seconds); have != want {
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
