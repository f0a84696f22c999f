package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/results"
)

// TestReplayCommand computes a command's cell with an embedded server and again, which
// needs leave.
func TestReplayCommand(t *testing.T) {
	t.Parallel()
	grid, p, _ := commandPlan(t, map[string]string{"fine": zeros})
	c := &Coordinator{Grid: grid, Plan: p, Kind: selfpaced.Kind{}, Out: t.TempDir(), Workers: 1, AllowCommands: true}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids := slices.Collect(p.IDs())
	for _, id := range ids[:len(ids)-1] { // the constant is the last
		r, err := Replay(t.Context(), c.Out, id, t.TempDir(), results.ZSTD, &dataset.Library{}, true)
		if err != nil || !r.Same || len(r.Rows) != 1 || r.Rows[0] != (ReplayedRows{"knots", 1}) {
			t.Errorf("%+v, %v", r, err)
		}
		if _, err := Replay(t.Context(), c.Out, id, "", results.ZSTD, &dataset.Library{}, false); err == nil || !strings.Contains(err.Error(), "--allow-commands") {
			t.Errorf("without leave: %v", err)
		}
	}
}
