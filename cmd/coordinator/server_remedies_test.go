package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// TestRemediesOfServer takes a run through its life by the command lines that messages advise.
func TestRemediesOfServer(t *testing.T) {
	needs.Patience(t, "8 s")
	t.Parallel()
	r := startRemote(t)
	dir := t.TempDir()
	values := map[string]string{"GRID": write(t, dir, "grid.yaml", tinyGrid), "DIR": filepath.Join(dir, "out")}
	// then follows the one line that a message has with a word in it.
	then := func(o outcome, word string, more ...string) outcome {
		t.Helper()
		lines := slices.DeleteFunc(advised(o.out+o.err, values), func(line []string) bool { return !slices.Contains(line, word) })
		if len(lines) != 1 {
			t.Fatalf("%d lines have %q:\n%s", len(lines), word, o.out+o.err)
		}
		return do(t, append(append(lines[0], "--nats", r.url), more...)...)
	}
	done := func(o outcome, says string) outcome {
		t.Helper()
		if o.code != command.ExitDone || !strings.Contains(o.out, says) {
			t.Fatalf("exit status %d, want %q:\n%s", o.code, says, o.out+o.err)
		}
		return o
	}
	refused := func(args ...string) outcome {
		t.Helper()
		o := do(t, append(args, "--nats", r.url)...)
		if o.code != command.ExitRefused {
			t.Fatalf("%q: exit status %d:\n%s", args, o.code, o.out+o.err)
		}
		return o
	}
	drain := func() {
		t.Helper()
		if _, wait := r.work(t, "--drain", "--slots", "2"); wait() != nil {
			t.Fatal("the worker failed")
		}
	}
	submitted := done(then(must(t, "status", "--nats", r.url), "submit"), "3 of 3 cells queued")
	run, _, _ := strings.Cut(submitted.out, ":")
	cancelled := done(then(refused("purge", run), "cancel"), "cancelled")
	done(then(cancelled, "submit"), "3 of 3 cells queued")
	paused := must(t, "pause", run, "--nats", r.url)
	done(then(must(t, "submit", values["GRID"], "--nats", r.url), "resume"), "resumed")
	done(then(paused, "resume"), "not paused")
	must(t, "cancel", run, "--nats", r.url)
	done(then(refused("pause", run), "submit"), "3 of 3 cells queued")
	drain()
	done(then(refused("purge", run), "collect"), "3 ok")
	done(do(t, "purge", run, "--nats", r.url), "removed")
	must(t, "submit", values["GRID"], "--nats", r.url)
	drain()
	done(then(refused("purge", run), "--uncollected"), "removed")

	// Cells that a limit ends, each time under this limit.
	limited := must(t, "submit", values["GRID"], "--set", "limits.timeout=1ns", "--set", "limits.attempts=1", "--nats", r.url)
	run, _, _ = strings.Cut(limited.out, ":")
	drain()
	collected := do(t, "collect", run, "--out", filepath.Join(dir, "limited"), "--nats", r.url)
	if collected.code != command.ExitFailed || !strings.Contains(collected.err, "timeout") {
		t.Fatalf("exit status %d: %s", collected.code, collected.out+collected.err)
	}
	done(then(collected, "retry", "--timeout", "none"), "cells queued again")
	drain()
	done(do(t, "collect", run, "--out", filepath.Join(dir, "limited"), "--nats", r.url), "3 ok")

	// A run that goes on, collected into a folder.
	more := must(t, "submit", values["GRID"], "--set", "models=[{lasso: {alpha: [0.01, 0.1, 1]}}]", "--nats", r.url)
	run, _, _ = strings.Cut(more.out, ":")
	done(do(t, "collect", run, "--out", filepath.Join(dir, "more"), "--nats", r.url), "3 of 4 cells have ended")
	must(t, "crate", filepath.Join(dir, "more"))
	must(t, "report", filepath.Join(dir, "more"), "--figures", "0", "--format", "parquet")
	drain()

	// Cells that need more memory, of a run that is paused.
	rows := "a,y\n"
	for i := range 2000 {
		rows += fmt.Sprintf("%d,%d\n", i, 2*min(i/900, 1)-1)
	}
	write(t, dir, "rows.csv", rows)
	kernel := write(t, dir, "kernel.yaml", "name: kernel\nlimits: {memory: 25MiB, attempts: 1}\ndata: [{path: rows.csv, task: classification}]\nmodels: [{svm: {c: 1, kernel: rbf, kernel_gamma: 1}}]\nmethods: [original]\n")
	small := must(t, "submit", kernel, "--nats", r.url)
	run, _, _ = strings.Cut(small.out, ":")
	must(t, "pause", run, "--nats", r.url)
	text, err := exec.CommandContext(t.Context(), r.worker, "--nats", r.url, "--drain", "--slots", "2").CombinedOutput()
	values["RUN"] = run
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	done(then(outcome{err: string(text)}, "resume"), "resumed")
	drain()
	collected = do(t, "collect", run, "--out", filepath.Join(dir, "small"), "--nats", r.url)
	if collected.code != command.ExitFailed || !strings.Contains(collected.err, "with --timeout or --memory") {
		t.Fatalf("exit status %d: %s", collected.code, collected.out+collected.err)
	}
	left := done(do(t, "retry", run, "--nats", r.url), "0 cells queued again")
	flag := regexp.MustCompile(`under these limits are left; (--status) queues them too`).FindStringSubmatch(left.out)
	if flag == nil {
		t.Fatal(left.out)
	}
	done(do(t, "retry", run, flag[1], "memory", "--nats", r.url), "1 cells queued again")
	drain()
	done(then(collected, "retry", "--memory", "none"), "cells queued again")
	drain()
	done(do(t, "collect", run, "--out", filepath.Join(dir, "small"), "--nats", r.url), "2 ok")
}

// TestRemedyOfLostStreams has a server lose the streams of a run: every command advises what makes them again.
func TestRemedyOfLostStreams(t *testing.T) {
	t.Parallel()
	url := testqueue.Server(t, "127.0.0.1:0").URL()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	values := map[string]string{"GRID": write(t, dir, "grid.yaml", tinyGrid)}
	run, _, _ := strings.Cut(must(t, "submit", values["GRID"], "--nats", url).out, ":")
	at := func(args ...string) []string { return append(args, "--nats", url) }
	for _, args := range [][]string{
		at("status"), at("status", run), at("collect", run, "--out", filepath.Join(dir, "out")), at("retry", run), at("resume", run), at("pause", run), at("cancel", run), at("purge", run, "--uncollected"),
	} {
		for name := range js.StreamNames(t.Context()).Name() {
			if name == "OBJ_AGEPATH_DATA" { // which has the description
				continue
			}
			if err := js.DeleteStream(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		o := do(t, args...)
		lines := advised(o.err, values)
		if o.code != command.ExitFailed || len(lines) != 1 {
			t.Errorf("%q: exit status %d, %d command lines: %s", args, o.code, len(lines), o.err)
			lines = [][]string{{"submit", values["GRID"]}}
		}
		if o := must(t, at(lines[0]...)...); !strings.Contains(o.out, "3 of 3 cells queued") {
			t.Errorf("%q prints %s", lines[0], o.out)
		}
		if o := do(t, args...); o.code == command.ExitFailed {
			t.Errorf("%q after that: %s", args, o.err)
		}
	}
}
