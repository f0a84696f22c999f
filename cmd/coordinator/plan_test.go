package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestPreview wants a plan to say of given ages what the report of the run says, within its time.
func TestPreview(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	dir := t.TempDir()
	const grid = "repeats: 2\ndata: [breast_cancer]\nmodels: [{svm: {c: [0.1, 1], kernel: linear}}]\nregularizers: [hard, linear]\nmethods: [acs, gaga]\n"
	for name, c := range map[string]struct {
		ages  string
		while time.Duration
		cells int
		says  bool
	}{
		"given":   {"age: {min: 0.1, max: 20}\n", time.Minute, 4, true},
		"no time": {"age: {min: 0.1, max: 20}\n", time.Nanosecond, 0, false},
		"derived": {"age: auto\n", time.Minute, 0, false},
		"both":    {"age: [auto, {min: 0.1, max: 20}]\n", time.Minute, 4, true},
	} {
		g, err := experiment.ParseFile(write(t, dir, strings.ReplaceAll(name, " ", "-")+".yaml", "name: ages\n"+grid+c.ages), nil)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := g.Plan(t.Context(), &dataset.Library{})
		if err != nil {
			t.Fatal(err)
		}
		found, err := previewOf(t.Context(), &planned{grid: g, plan: plan}, c.while)
		if err != nil || found.cells != c.cells || (len(found.said) > 0) != c.says {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
		if name != "given" {
			continue
		}
		out := filepath.Join(dir, "out")
		must(t, "run", g.File, "--out", out, "--set", "repeats=1")
		report, err := os.ReadFile(filepath.Join(out, "report", "report.md"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(found.said, func(said string) bool { return strings.Contains(string(report), said) }) {
			t.Errorf("the plan says %q, the report something else", found.said)
		}
	}
}
