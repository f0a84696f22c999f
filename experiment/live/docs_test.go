package live

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/agepath/agepath/experiment"
)

var update = flag.Bool("update", false, "write the table of metrics in docs/operations.md")

// TestMetricsDocument wants docs/operations.md to list every metric as /metrics shows it.
func TestMetricsDocument(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := New(Config{Queue: b.Queue})
	eta := 1.0
	m.state.Store(&State{Runs: []*Run{{Name: "run", ETA: &eta, Statuses: map[experiment.Status]int64{experiment.OK: 1}}}})
	descriptions := make(chan *prometheus.Desc, 100)
	m.Describe(descriptions)
	registry := prometheus.NewRegistry()
	registry.MustRegister(m)
	families, err := registry.Gather()
	if err != nil || len(families) != len(descriptions) {
		t.Fatalf("%d metrics of %d: %v", len(families), len(descriptions), err)
	}
	want := "| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n"
	for _, f := range families {
		var labels []string
		for _, label := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+label.GetName()+"`")
		}
		want += fmt.Sprintf("| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, ", "), f.GetHelp())
	}
	const path, mark, end = "../../docs/operations.md", "<!-- metrics: go test ./experiment/live -run TestMetricsDocument -update -->\n", "<!-- end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(text), mark)
	have, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no place for the metrics", path)
	}
	if *update {
		have = want
		if err := os.WriteFile(path, []byte(before+mark+have+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have != want {
		t.Errorf("the metrics in %s are not those of the code; run go test ./experiment/live -run TestMetricsDocument -update", path)
	}
}
