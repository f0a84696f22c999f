package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
)

// TestRemedies tries each remedy that the refusal of a command line names, at a server without a cell.
func TestRemedies(t *testing.T) {
	t.Parallel()
	url := testqueue.Server(t, "127.0.0.1:0").URL()
	if err := testqueue.Connect(t, queue.Config{URL: url}).EnsureStreams(t.Context()); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "worker.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	values := func(match []string) []string { return match[1:] }
	// moments are those of a message, with an hour to come for theirs.
	moments := func(match []string) []string {
		later := time.Now().Add(time.Hour)
		if _, err := time.Parse("2006-01-02T15:04:05", match[1]); err != nil {
			t.Error(err)
		}
		return []string{strconv.FormatInt(later.Unix(), 10), later.Format("2006-01-02T15:04:05"), later.Format(time.RFC3339)}
	}
	const span, moment = `a whole number from (\d+) to (\d+) is`, `seconds since 1970, or a time such as (\S+), with or without its zone, is`
	// Each "BAD:x", which is x, or an env that is, is replaced by the values that says finds.
	for name, c := range map[string]struct {
		env    map[string]string
		args   []string
		says   string
		values func(match []string) []string
	}{
		"slots":          {nil, []string{"--slots", "BAD:0"}, span, func(match []string) []string { return match[1:2] }},
		"slots of all":   {map[string]string{"AGEPATH_SLOTS": "BAD:all"}, nil, span, func(match []string) []string { return match[1:2] }},
		"deaths":         {nil, []string{"--max-deaths", "BAD:1001"}, span, values},
		"commands":       {map[string]string{"AGEPATH_ALLOW_COMMANDS": "BAD:perhaps"}, nil, `(true) and (false) are`, values},
		"drain":          {nil, []string{"BAD:--drain=yes"}, `(true) and`, func(match []string) []string { return []string{"--drain=" + match[1]} }},
		"until":          {nil, []string{"--until", "BAD:tomorrow"}, moment, moments},
		"a job's end":    {map[string]string{endVariable: "BAD:soon"}, nil, moment, moments},
		"past":           {nil, []string{"--until", "BAD:2020-01-31T18:00:00"}, `--until (\S+)Z? has passed; a time to come is allowed`, func([]string) []string { return []string{time.Now().Add(time.Hour).Format("2006-01-02T15:04:05")} }},
		"a past job":     {map[string]string{endVariable: "BAD:1600000000"}, nil, `a time to come is allowed`, func([]string) []string { return []string{strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10)} }},
		"grace":          {nil, []string{"--grace", "BAD:-1s"}, `the first must be >= (0s)`, values},
		"retry delay":    {nil, []string{"--retry-delay", "BAD:0s"}, `the second > 0(s)`, func(match []string) []string { return []string{"1" + match[1]} }},
		"cache size":     {nil, []string{"--cache-size", "BAD:10"}, `with its unit \((.*)\) such as (\S+) is`, func(match []string) []string { return append(amounts(match[1]), match[2]) }},
		"health":         {nil, []string{"--health", "BAD:8481"}, `allowed is host:port, such as (127.0.0.1):8481, or (:)8481 for all`, func(match []string) []string { return []string{match[1] + ":0", match[2] + "0"} }},
		"waiting":        {nil, []string{"--connect-wait", "BAD:soon"}, `a time from (0s), such as (\w+) or (\w+), or (forever) is`, values},
		"a flag":         {nil, []string{"BAD:--max-death=3"}, `did you mean (\S+)\?`, func(match []string) []string { return []string{match[1] + "=3"} }},
		"another's flag": {nil, []string{"BAD:--workers=3"}, `allowed are .*(--slots)`, func(match []string) []string { return []string{match[1] + "=3"} }},
		"an argument":    {nil, []string{"BAD:grid.yaml"}, `only (flags) are allowed`, func([]string) []string { return []string{"--drain"} }},
		"a key":          {nil, []string{"--config", "BAD:" + file("slot: 3\n")}, `did you mean (slots)\?`, func(match []string) []string { return []string{file(match[1] + ": 3\n")} }},
		"no key":         {nil, []string{"--config", "BAD:" + file("- 3\n")}, `as in (.*)\n`, func(match []string) []string { return []string{file(match[1] + "\n")} }},
		"a list":         {nil, []string{"--config", "BAD:" + file("slots: [1, 2]\n")}, `(one value) is`, func([]string) []string { return []string{file("slots: 1\n")} }},
		"no config":      {nil, []string{"--config", "BAD:" + filepath.Join(cache, "gone")}, `a (YAML) file is allowed`, func([]string) []string { return []string{file("slots: 1\n")} }},
		"a server":       {map[string]string{"AGEPATH_NATS_URL": "BAD:http://127.0.0.1"}, nil, `nats://HOST:PORT is (allowed)`, func([]string) []string { return []string{url} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := func(value string) (code int, message string) {
				env := map[string]string{"AGEPATH_NATS_URL": url, "AGEPATH_DRAIN": "true", "AGEPATH_CACHE": cache, "AGEPATH_SLOTS": "1"}
				of := func(text string) string {
					if bad, found := strings.CutPrefix(text, "BAD:"); found && value == "" {
						return bad
					} else if found {
						return value
					}
					return text
				}
				for name, text := range c.env {
					env[name] = of(text)
				}
				args := slices.Clone(c.args)
				for i, arg := range args {
					args[i] = of(arg)
				}
				if slices.Contains(args, "--config") {
					delete(env, "AGEPATH_SLOTS")
				}
				code, _, message = do(t, t.Context(), env, args...)
				return code, message
			}
			code, refusal := with("")
			match := regexp.MustCompile(c.says).FindStringSubmatch(refusal)
			if code != command.ExitRefused || match == nil {
				t.Fatalf("exit status %d, want %q in %s", code, c.says, refusal)
			}
			for _, value := range c.values(match) {
				if code, message := with(value); code != command.ExitDone || !strings.Contains(message, "the queue is empty") {
					t.Errorf("of %s%s gives %d: %s", refusal, value, code, message)
				}
			}
		})
	}
	// The three places where a message asks for the server.
	_, _, message := do(t, t.Context(), nil)
	match := regexp.MustCompile(`(--nats) URL, (AGEPATH_\w+) or the key (\w+) of the config file does`).FindStringSubmatch(message)
	if match == nil {
		t.Fatal(message)
	}
	for _, way := range []struct {
		env  map[string]string
		args []string
	}{
		{nil, []string{match[1], url}}, {map[string]string{match[2]: url}, nil}, {nil, []string{"--config", file(match[3] + ": " + url + "\n")}},
	} {
		if code, _, message := do(t, t.Context(), way.env, append(way.args, "--drain", "--slots", "1", "--cache", cache)...); code != command.ExitDone {
			t.Errorf("%v gives %d: %s", way, code, message)
		}
	}
}

// amounts are ten of each unit, large enough for a cache.
func amounts(units string) (list []string) {
	for unit := range strings.SplitSeq(units, ", ") {
		list = append(list, "10"+unit)
	}
	return list
}

// TestRemedyOfNoCache gives a worker without a home the folder that its message asks for.
func TestRemedyOfNoCache(t *testing.T) {
	url := testqueue.Server(t, "127.0.0.1:0").URL()
	if err := testqueue.Connect(t, queue.Config{URL: url}).EnsureStreams(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	const says = "there is no cache folder"
	args := []string{"--nats", url, "--drain", "--slots", "1"}
	if code, _, message := do(t, t.Context(), nil, args...); code != command.ExitDone || !strings.Contains(message, says) || !strings.Contains(message, "--cache DIR keeps them") {
		t.Errorf("exit status %d: %s", code, message)
	}
	if code, _, message := do(t, t.Context(), nil, append(args, "--cache", t.TempDir())...); code != command.ExitDone || strings.Contains(message, says) {
		t.Errorf("with --cache: exit status %d: %s", code, message)
	}
}

// TestRemediesOfUntil gives cells that do not fit into ten minutes more time, by the flag and by the job, and a smaller limit.
func TestRemediesOfUntil(t *testing.T) {
	needs.Patience(t, "6 s")
	t.Parallel()
	const says = "cells need more time, by a later --until or a longer job, or a smaller limits.timeout"
	soon, later := time.Now().Add(10*time.Minute), time.Now().Add(3*time.Hour)
	flag := func(until time.Time) []string { return []string{"--until", until.Format(time.RFC3339)} }
	job := func(until time.Time) map[string]string {
		return map[string]string{endVariable: strconv.FormatInt(until.Unix(), 10)}
	}
	for name, c := range map[string]struct {
		env, mended    map[string]string
		args, followed []string
		limit          []string // of the grid, submitted again
	}{
		"a later --until": {args: flag(soon), followed: flag(later)},
		"a longer job":    {env: job(soon), mended: job(later)},
		"a limit":         {args: flag(soon), followed: flag(soon), limit: []string{"limits.timeout=5m"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := testqueue.Server(t, "127.0.0.1:0").URL()
			q := testqueue.Connect(t, queue.Config{URL: url})
			submit := func(set []string) *experiment.Plan {
				grid, err := experiment.Parse([]byte("{name: long, data: [diabetes], models: [{lasso: {alpha: 0.1}}], methods: [original]}"), "grid.yaml", set)
				if err != nil {
					t.Fatal(err)
				}
				plan, err := grid.Plan(t.Context(), &dataset.Library{})
				if err == nil {
					_, err = run.Submit(t.Context(), q, grid, plan, run.Reuse{})
				}
				if err != nil {
					t.Fatal(err)
				}
				return plan
			}
			plan := submit(nil)
			err := q.Withdraw(t.Context(), plan.Run, slices.Collect(plan.IDs()))
			if err == nil {
				_, _, err = q.Publish(t.Context(), func(yield func(experiment.Task, error) bool) {
					for task, err := range plan.Queue() {
						if task.Cost = 3600; !yield(task, err) {
							return
						}
					}
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			worker := append([]string{"--nats", url, "--drain", "--slots", "1", "--cache", t.TempDir()}, c.args...)
			if code, _, message := do(t, t.Context(), c.env, worker...); code != command.ExitFailed || !strings.Contains(message, says) {
				t.Fatalf("exit status %d: %s", code, message)
			}
			if c.limit != nil {
				submit(c.limit)
			}
			worker = append(worker[:len(worker)-len(c.args)], c.followed...)
			if code, _, message := do(t, t.Context(), c.mended, worker...); code != command.ExitDone || !strings.Contains(message, "the queue is empty") {
				t.Errorf("exit status %d: %s", code, message)
			}
			counts, err := q.Counts(t.Context(), plan.Run)
			if err != nil || counts.Done != int(plan.Count()) || counts.Dead > 0 {
				t.Errorf("%+v, %v", counts, err)
			}
		})
	}
}
