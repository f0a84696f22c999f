package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// TestRemediesOfResults tries what the refusals of folders of results name.
func TestRemediesOfResults(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	dir := t.TempDir()
	const lasso = "data: [diabetes]\nrepeats: 1\nmodels: [{lasso: {alpha: 0.1}}]\nregularizers: [linear]\nage: {min: 0.1, max: 5}\nmethods: [gaga]\n"
	run := func(name, text string) (out string) {
		out = filepath.Join(dir, name)
		must(t, "run", write(t, dir, name+".yaml", "name: "+name+"\n"+text), "--out", out, "--figures", "0", "--no-reuse")
		return out
	}
	noisy := run("noisy", lasso+"noise: [{kind: gaussian, levels: [0, 0.3]}]\n")
	unchosen := run("unchosen", strings.Replace(lasso, "methods", "split: {validation: 0}\nmethods", 1))
	rules := run("rules", lasso+"choose: {rule: [best, smoothed]}\n")
	solvers := run("solvers", "experiment: solver-benchmark\ndata: [generated: {rows: 50, features: 3}]\ntasks: [huber]\nc: 1/n\nsolvers: [rehline]\n")
	grid := filepath.Join(dir, "noisy.yaml")
	into := func(out string) []string { return []string{"run", grid, "--out", out, "--figures", "0", "--no-reuse"} }
	written := filepath.Join(dir, "written")
	store, err := results.Open(t.Context(), written, results.StoreOptions{Tables: selfpaced.Kind{}.Tables(), Run: "other"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		says string
		ways func(match []string) [][]string
	}{
		"settings": {[]string{"model", noisy}, `give the cell of one:\n  (--cell \w+) .*\n  (--cell \w+) `, func(match []string) (ways [][]string) {
			for _, way := range match[1:] {
				ways = append(ways, append([]string{"model", noisy}, strings.Fields(way)...))
			}
			return ways
		}},
		"no validation": {[]string{"model", unchosen}, `has a validation score; give (--cell)`, func(match []string) [][]string {
			return [][]string{{"model", unchosen, match[1], cellsOf(t, unchosen)[0]}}
		}},
		"one rule":      {[]string{"report", rules, "--figures", "0", "--choose", "one-standard-error"}, `drop (--choose)`, func([]string) [][]string { return [][]string{{"report", rules, "--figures", "0"}} }},
		"no rule":       {[]string{"report", solvers, "--figures", "0", "--choose", "smoothed"}, `leave the rule (smoothed) out`, func([]string) [][]string { return [][]string{{"report", solvers, "--figures", "0"}} }},
		"many folders":  {append([]string{"compare"}, slices.Repeat([]string{noisy}, 30)...), `folders are too many; 2 to (\d+) are allowed`, func([]string) [][]string { return [][]string{{"compare", noisy, noisy}} }},
		"other results": {into(solvers), `choose another folder or (remove the file)`, func([]string) [][]string { return [][]string{into(filepath.Join(dir, "another"))} }},
		"a writer":      {into(written), `wait for it to end, or choose another (folder)`, func([]string) [][]string { return [][]string{into(filepath.Join(dir, "free"))} }},
		"a home":        {into("~you/out"), `give the path in full, or (\./~you/out) for a file`, func([]string) [][]string { return [][]string{into(filepath.Join(dir, "full"))} }},
	} {
		o := do(t, c.args...)
		match := regexp.MustCompile(c.says).FindStringSubmatch(o.err)
		if o.code == command.ExitDone || match == nil {
			t.Errorf("%s: exit status %d, want %q in %s", name, o.code, c.says, o.err)
			continue
		}
		for _, way := range c.ways(match) {
			if after := do(t, way...); after.code != command.ExitDone {
				t.Errorf("%s: of %s%q gives %d\n%s", name, o.err, way, after.code, after.err)
			}
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, into(written)...)
	o := do(t, into(solvers)...)
	for _, file := range regexp.MustCompile(`(\S+) holds other results`).FindAllStringSubmatch(o.err, -1) {
		if err := os.Remove(file[1]); err != nil {
			t.Fatal(err)
		}
	}
	must(t, into(solvers)...)
}
