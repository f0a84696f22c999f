package run

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// FuzzDescription finds runs whose description at the server is anything.
func FuzzDescription(f *testing.F) {
	q := testqueue.Connect(f, queue.Config{Server: testqueue.Server(f, "")})
	if err := q.EnsureStreams(f.Context()); err != nil {
		f.Fatal(err)
	}
	d := &Description{
		Manifest: results.Manifest{
			SchemaVersion: experiment.SchemaVersion, Run: "r", Kind: "self-paced", Cells: 3, Data: map[string]string{"own": "12ab"}, File: "~/g.yaml", Set: []string{"seed=1"},
			Grid: "data: [{path: own.csv}]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods: [original]\n", Files: map[string]string{"m.py": "34cd"},
		},
		Parts: []experiment.Part{{Dataset: "own", Method: "original", Cells: 3, Seconds: 0.5}}, Needs: []experiment.Need{{Name: "a", Version: 2}},
	}
	add := func() {
		text, err := json.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	add()
	d.Grid, d.SchemaVersion, d.Parts[0].Cells = "data: &x [*x]", 1, math.MaxInt64
	add()
	f.Add([]byte(`{"run": "r", "parts": [{"seconds": 1e400}], "data": {"a": "../b"}}`))
	workers := []queue.Presence{{Computes: d.Needs}}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := q.PutData(t.Context(), "r", bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		d, _, err := readDescriptionOnce(t.Context(), q, "r")
		if err != nil {
			return
		}
		d.Unable(workers, true, time.Now())
		if _, plan, _, err := findRun(t.Context(), q, "r"); err == nil && plan.Run != "r" {
			t.Fatalf("found run %s", plan.Run)
		}
	})
}
