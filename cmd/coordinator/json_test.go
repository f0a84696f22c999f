package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// conforms validates what a command printed against its schema in docs/schemas, and
// returns the object.
func conforms(t *testing.T, schema, text string) map[string]any {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "docs", "schemas", schema+".json"))
	if err != nil {
		t.Fatal(err)
	}
	object, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if err := compiled.Validate(object); err != nil {
		t.Errorf("%s.json: %#v\n%s", schema, err, text)
	}
	var plain map[string]any
	if err := json.Unmarshal([]byte(text), &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

// at returns what is at a path of keys and indices in an object.
func at(t *testing.T, object any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object = object.(map[string]any)[step]
		case int:
			object = object.([]any)[step]
		}
	}
	return object
}

// wantAt wants values at paths in an object.
func wantAt(t *testing.T, object any, wants ...[]any) {
	t.Helper()
	for _, want := range wants {
		path := want[:len(want)-1]
		if have := at(t, object, path...); have != want[len(want)-1] {
			t.Errorf("%v: %v, want %v", path, have, want[len(want)-1])
		}
	}
}

func TestPlanAndRunJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", comparedGrid), filepath.Join(dir, "out")
	plan := conforms(t, "plan", must(t, "plan", grid, "--out", out, "--workers", "2", "--json").out)
	wantAt(t, plan, []any{"cells", 6.0}, []any{"in_folder", 0.0}, []any{"to_compute", 6.0}, []any{"repeats", 2.0}, []any{"workers", 2.0},
		[]any{"data", 0, "name", "diabetes"}, []any{"data", 0, "rows", 442.0}, []any{"dimensions", 4, "name", "method"}, []any{"dimensions", 4, "values", 1, "cells", 2.0},
		[]any{"seconds_on_workers", plan["seconds"].(float64) / 2})
	if bytes := plan["memory"].(float64); bytes < 10<<20 || bytes > 100<<20 {
		t.Errorf("a slot takes %g bytes", bytes)
	}

	o := must(t, "run", grid, "--out", out, "--workers", "1", "--figures", "0", "--json")
	wantAt(t, conforms(t, "run", o.out), []any{"computed", 6.0}, []any{"cells", 6.0}, []any{"statuses", "ok", 6.0}, []any{"statuses", "failed", 0.0},
		[]any{"run", plan["run"]}, []any{"files", 0, filepath.Join(out, "cells.arrow")})
	if !strings.Contains(o.err, "msg=ended") {
		t.Errorf("the log is not in stderr: %s", o.err)
	}
	again := must(t, "run", grid, "--out", out, "--workers", "1", "--figures", "0", "--json")
	wantAt(t, conforms(t, "run", again.out), []any{"computed", 0.0}, []any{"statuses", "ok", 6.0})
	plan = conforms(t, "plan", must(t, "plan", grid, "--out", out, "--json").out)
	wantAt(t, plan, []any{"in_folder", 6.0}, []any{"to_compute", 0.0}, []any{"seconds", 0.0}, []any{"seconds_on_workers", 0.0})

	// Cells that fail: the object is there, and the exit status says so too.
	failed := do(t, "run", grid, "--out", filepath.Join(dir, "failed"), "--workers", "1", "--figures", "0", "--json",
		"--set", "limits.timeout=1ns", "--set", "limits.attempts=1")
	if failed.code != command.ExitFailed || !strings.Contains(failed.err, "6 of 6 cells failed") {
		t.Errorf("exit %d: %s", failed.code, failed.err)
	}
	wantAt(t, conforms(t, "run", failed.out), []any{"statuses", "timeout", 6.0}, []any{"failures", 3, "status", "timeout"})
	higher := conforms(t, "plan", must(t, "plan", grid, "--out", filepath.Join(dir, "failed"), "--json").out)
	wantAt(t, higher, []any{"raised", 6.0}, []any{"to_compute", 6.0}, []any{"in_folder", 0.0}, []any{"former", 0.0})
	fewer := conforms(t, "plan", must(t, "plan", grid, "--out", out, "--set", "repeats=1", "--json").out)
	wantAt(t, fewer, []any{"cells", 3.0}, []any{"in_folder", 3.0}, []any{"former", 3.0}, []any{"raised", 0.0})
	refused := do(t, "plan", filepath.Join(dir, "none.yaml"), "--json")
	if refused.code != command.ExitRefused || refused.out != "" {
		t.Errorf("no grid: exit %d, %q", refused.code, refused.out)
	}
}

func TestStatusAndCollectJSON(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "4 s")
	server := testqueue.Server(t, "127.0.0.1:0")
	dir := t.TempDir()
	with := func(args ...string) outcome {
		return must(t, append(args, "--nats", server.URL())...)
	}
	cache := filepath.Join(dir, "cache")
	empty := conforms(t, "status", with("status", "--json").out)
	if len(empty["runs"].([]any)) != 0 || len(empty["workers"].([]any)) != 0 {
		t.Errorf("a fresh server: %v", empty)
	}
	grid := write(t, dir, "grid.yaml", comparedGrid)
	with("submit", grid, "--cache", cache)
	name := at(t, conforms(t, "plan", must(t, "plan", grid, "--json").out), "run").(string)
	wantAt(t, conforms(t, "status", with("status", "--json").out), []any{"runs", 0, "queued", 6.0}, []any{"runs", 0, "state", "waiting for workers"})
	with("pause", name)
	wantAt(t, conforms(t, "status", with("status", name, "--json").out), []any{"runs", 0, "state", "paused"})
	with("resume", name)
	collected := conforms(t, "collect", with("collect", name, "--out", filepath.Join(dir, "early"), "--json").out)
	wantAt(t, collected, []any{"cells", 6.0}, []any{"statuses", "ok", 0.0})

	with("run", grid, "--out", filepath.Join(dir, "out"), "--workers", "1", "--figures", "0", "--cache", cache)
	status := conforms(t, "status", with("status", name, "--json").out)
	wantAt(t, status, []any{"runs", 0, "run", name}, []any{"runs", 0, "statuses", "ok", 6.0}, []any{"runs", 0, "queued", 0.0}, []any{"runs", 0, "state", "finished"})
	late := filepath.Join(dir, "late")
	wantAt(t, conforms(t, "collect", with("collect", name, "--out", late, "--json").out),
		[]any{"run", name}, []any{"out", late}, []any{"statuses", "ok", 6.0}, []any{"queued_again", 0.0})
	both := do(t, "status", "--json", "--watch", "--nats", server.URL())
	if both.code != command.ExitRefused || !strings.Contains(both.err, "do not go together") {
		t.Errorf("--watch: exit %d: %s", both.code, both.err)
	}
}

func TestDatasetsJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := conforms(t, "datasets", must(t, "datasets", "list", "--cache", dir, "--json").out)
	if n := len(list["datasets"].([]any)); n != len(dataset.Catalog()) {
		t.Errorf("%d data sets", n)
	}
	one := conforms(t, "datasets", must(t, "datasets", "list", "music", "diabetes", "--cache", dir, "--json").out)
	wantAt(t, one, []any{"datasets", 0, "state", "absent"}, []any{"datasets", 0, "can_fetch", true}, []any{"datasets", 1, "state", "embedded"}, []any{"datasets", 1, "rows", 442.0})
	check := do(t, "datasets", "check", "diabetes", "music", "--cache", dir, "--json")
	if check.code != command.ExitFailed || !strings.Contains(check.err, "1 of 2 data sets do not pass") {
		t.Errorf("check: exit %d: %s", check.code, check.err)
	}
	object := conforms(t, "datasets", check.out)
	wantAt(t, object, []any{"datasets", 0, "state", "ok"}, []any{"datasets", 0, "error", ""}, []any{"datasets", 1, "state", "bad"})
	if digest := at(t, object, "datasets", 0, "digest").(string); len(digest) != 64 {
		t.Errorf("digest %q", digest)
	}
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	fetch := do(t, "datasets", "fetch", "music", "--openml", server.URL, "--cache", filepath.Join(dir, "cache"), "--json")
	if fetch.code != command.ExitFailed {
		t.Errorf("fetch: exit %d", fetch.code)
	}
	object = conforms(t, "datasets", fetch.out)
	wantAt(t, object, []any{"datasets", 0, "state", "failed"})
	if reason := at(t, object, "datasets", 0, "error").(string); !strings.Contains(reason, "404") {
		t.Errorf("error %q", reason)
	}
}
