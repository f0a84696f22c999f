package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
)

// smallGrid is a grid of 12 cells that takes a few milliseconds.
const smallGrid = `name: small
seed: 1
repeats: 2
data: [diabetes]
models: [{lasso: {alpha: [0.01, 0.1]}}]
noise: [{kind: gaussian, levels: [0, 0.3]}]
methods: [original]
`

// TestBadUsage wants exit status 2 and one message that says where and what is
// allowed for command lines that make no sense.
func TestBadUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", smallGrid)
	credentials := write(t, dir, "user.creds", "")
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"no command":               {nil, []string{"coordinator: a command is missing", "allowed are", "run", "plan"}},
		"unknown command":          {[]string{"rum"}, []string{`coordinator: unknown command "rum"`, "allowed are", "run"}},
		"unknown flag":             {[]string{"run", "--worker", "3", grid}, []string{"coordinator run: unknown flag: --worker", "allowed are", "--workers"}},
		"unknown short flag":       {[]string{"run", "-x", grid}, []string{"unknown shorthand flag: 'x' in -x", "allowed are"}},
		"flag without value":       {[]string{"run", grid, "--out"}, []string{"flag needs an argument: --out"}},
		"no grid":                  {[]string{"run"}, []string{"coordinator run: GRID is missing"}},
		"two grids":                {[]string{"plan", grid, "other.yaml"}, []string{`unexpected argument "other.yaml"`, "allowed is GRID"}},
		"grid file missing":        {[]string{"run", filepath.Join(dir, "nowhere.yaml")}, []string{"nowhere.yaml", "no such file", "allowed is a YAML file"}},
		"grid is a folder":         {[]string{"plan", dir}, []string{dir, "is a directory", "allowed is a YAML file"}},
		"workers negative":         {[]string{"run", grid, "--workers", "-1"}, []string{`--workers: "-1" is not allowed`, "0 to 1024"}},
		"workers text":             {[]string{"run", grid, "--workers", "all"}, []string{`--workers: "all" is not allowed`, "a whole number from 0 to 1024 is"}},
		"workers fraction":         {[]string{"run", grid, "--workers", "1.5"}, []string{`--workers: "1.5" is not allowed`}},
		"plan without workers":     {[]string{"plan", grid, "--workers", "0"}, []string{`--workers: "0" is not allowed`, "1 to 1024"}},
		"nobody to compute":        {[]string{"run", grid, "--workers", "0"}, []string{"--workers 0", "--nats URL"}},
		"retry ok":                 {[]string{"run", grid, "--retry", "failed,ok"}, []string{`--retry: "ok" is not allowed`, "failed, timeout, memory"}},
		"retry unknown":            {[]string{"retry", "r", "--status", "broken"}, []string{`--status: "broken" is not allowed`, "timeout"}},
		"format":                   {[]string{"run", grid, "--format", "word"}, []string{"--format", `"word"`, "markdown, csv, latex"}},
		"figures":                  {[]string{"report", dir, "--figures", "many"}, []string{`--figures: "many" is not allowed`}},
		"log level":                {[]string{"--log-level", "loud", "plan", grid}, []string{`--log-level: "loud" is not allowed`, "debug, info, warn, error"}},
		"log format":               {[]string{"--log-format", "xml", "plan", grid}, []string{`--log-format: "xml" is not allowed`, "text, json"}},
		"set without value":        {[]string{"plan", grid, "--set", "repeats"}, []string{"--set repeats", "key=value"}},
		"set of an unknown key":    {[]string{"plan", grid, "--set", "repeat=3"}, []string{"--set repeat=3", "unknown key", "allowed are"}},
		"set of a bad value":       {[]string{"plan", grid, "--set", "repeats=none"}, []string{"--set repeats=none", "a whole number from 1"}},
		"set beyond a list":        {[]string{"plan", grid, "--set", "models.3.lasso.alpha=1"}, []string{"--set models.3.lasso.alpha=1", "no index of a list of 1"}},
		"set of no YAML":           {[]string{"plan", grid, "--set", "repeats=[1"}, []string{"--set repeats=[1", "no YAML"}},
		"config missing":           {[]string{"plan", grid, "--config", filepath.Join(dir, "no.yaml")}, []string{"--config", "no.yaml", "a YAML file is allowed"}},
		"submit without server":    {[]string{"submit", grid}, []string{"--nats URL", "AGEPATH_NATS_URL"}},
		"status without server":    {[]string{"status"}, []string{"--nats URL", "AGEPATH_NATS_URL"}},
		"status of two":            {[]string{"status", "a", "b"}, []string{`unexpected argument "b"`}},
		"collect without out":      {[]string{"collect", "r"}, []string{"--out is missing"}},
		"retry without run":        {[]string{"retry"}, []string{"RUN is missing"}},
		"cancel of a bad name":     {[]string{"cancel", "a b", "--nats", "nats://127.0.0.1:1"}, []string{"RUN", `"a b"`}},
		"two ways to log in":       {[]string{"status", "--nats", "x", "--creds", credentials, "--nkey", credentials}, []string{"--creds and --nkey", "only one"}},
		"certificate without key":  {[]string{"status", "--nats", "x", "--tls-cert", credentials}, []string{"--tls-cert and --tls-key", "both or none"}},
		"credentials missing":      {[]string{"status", "--nats", "x", "--creds", filepath.Join(dir, "gone")}, []string{"--creds", "gone"}},
		"report of no folder":      {[]string{"report", filepath.Join(dir, "gone")}, []string{"gone", "DIR is a folder with results"}},
		"report of another folder": {[]string{"report", dir}, []string{"cells.arrow", "DIR is a folder with results"}},
		"replay of no folder":      {[]string{"replay", filepath.Join(dir, "gone"), "abc"}, []string{"gone", "DIR is a folder with results"}},
		"replay without cell":      {[]string{"replay", dir}, []string{"CELL is missing", "DIR CELL"}},
		"datasets alone":           {[]string{"datasets"}, []string{"a command is missing", "check, fetch, list"}},
		"datasets unknown command": {[]string{"datasets", "get"}, []string{`unknown command "get"`, "check, fetch, list"}},
		"datasets unknown name":    {[]string{"datasets", "check", "iris"}, []string{`unknown data set "iris"`, "diabetes", "music"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantRefusal(t, do(t, c.args...), c.want)
		})
	}
}

// wantRefusal wants the exit status 2 and one message on stderr alone.
func wantRefusal(t *testing.T, o outcome, parts []string) {
	t.Helper()
	if o.code != command.ExitRefused {
		t.Errorf("exit status %d, want %d\n%s", o.code, command.ExitRefused, o.err)
	}
	if o.out != "" {
		t.Errorf("stdout holds %q", o.out)
	}
	for _, part := range parts {
		if !strings.Contains(o.err, part) {
			t.Errorf("the message does not say %q:\n%s", part, o.err)
		}
	}
	if !strings.HasPrefix(o.err, "coordinator") || strings.Contains(o.err, "Usage:") || strings.Contains(o.err, "level=") {
		t.Errorf("not one plain message:\n%s", o.err)
	}
}

// TestHelp wants help and version on stdout and the exit status 0.
func TestHelp(t *testing.T) {
	t.Parallel()
	if o := must(t, "--help"); !strings.Contains(o.out, "Exit status") || o.err != "" {
		t.Errorf("help: %q %q", o.out, o.err)
	}
	if o := must(t, "run", "--help"); !strings.Contains(o.out, "--workers") {
		t.Errorf("help of run: %q", o.out)
	}
	if o := must(t, "--help"); !strings.Contains(o.out, "\nWatch:\n  serve ") || strings.Contains(o.out, "Additional Commands") {
		t.Errorf("commands are not in groups: %s", o.out)
	}
	if o := must(t, "--version"); !strings.HasPrefix(o.out, "coordinator ") || strings.Count(o.out, "\n") != 1 {
		t.Errorf("version: %q", o.out)
	}
}

// TestExamples wants every command to have an example, and each to be a command line with
// the arguments and flags that the command takes.
func TestExamples(t *testing.T) {
	t.Parallel()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Example == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			typed, _, _ := strings.Cut(line, " >") // where its output goes
			words := strings.Fields(typed)
			_, root := commands(command.Streams{})
			found, args, err := root.Find(words[1:])
			if err == nil {
				err = found.ParseFlags(args)
			}
			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}
			if err != nil || words[0] != root.Name() || !strings.HasPrefix(found.CommandPath(), cmd.CommandPath()) {
				t.Errorf("example of %s: %q: %v", cmd.CommandPath(), line, err)
			}
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	_, root := commands(command.Streams{})
	visit(root)
}

// TestJSONErrors wants the message of a failure as a line of the log when the
// log is JSON.
func TestJSONErrors(t *testing.T) {
	t.Parallel()
	o := do(t, "--log-format", "json", "plan", "nowhere.yaml")
	if o.code != command.ExitRefused || !strings.HasPrefix(o.err, `{"time":`) || !strings.Contains(o.err, "nowhere.yaml") {
		t.Errorf("exit status %d: %s", o.code, o.err)
	}
}

// TestFlagSources wants the command line to go before the environment, that
// before the config file, and bad values to be refused wherever they are from.
func TestFlagSources(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", smallGrid)
	config := write(t, dir, "config.yaml", "workers: 3\nset: [repeats=5]\n")
	inEnv := map[string]string{"AGEPATH_CONFIG": config, "AGEPATH_WORKERS": "4", "AGEPATH_SET": "repeats=7\nseed=2"}
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want []string
	}{
		"file":         {nil, []string{"--config", config}, []string{" on 3 ", "30 (5 repeats)"}},
		"environment":  {inEnv, nil, []string{" on 4 ", "42 (7 repeats)"}},
		"command line": {inEnv, []string{"--workers", "6", "--set", "repeats=1"}, []string{" on 6 ", "6 (1 repeat)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := doWith(t, t.Context(), c.env, append([]string{"plan", grid, "--out", filepath.Join(dir, "out")}, c.args...)...)
			for _, want := range c.want {
				if o.code != command.ExitDone || !strings.Contains(o.out, want) {
					t.Errorf("exit status %d, no %q in\n%s%s", o.code, want, o.out, o.err)
				}
			}
		})
	}
	for name, c := range map[string]struct {
		env    map[string]string
		config string
		want   []string
	}{
		"environment":    {map[string]string{"AGEPATH_WORKERS": "x"}, "", []string{`AGEPATH_WORKERS: "x" is not allowed`, "1 to 1024"}},
		"unknown key":    {nil, "workers: 2\nworker: 3\n", []string{"bad.yaml:2: worker: unknown key", "allowed are", "workers"}},
		"bad value":      {nil, "# first\nworkers: many\n", []string{`bad.yaml:2: workers: "many" is not allowed`, "1 to 1024"}},
		"list for one":   {nil, "workers: [1, 2]\n", []string{"bad.yaml:1: workers: a list is not allowed"}},
		"map":            {nil, "workers: {a: 1}\n", []string{"bad.yaml:1: workers: a map is not allowed"}},
		"no map":         {nil, "- workers\n", []string{"bad.yaml:1: a map of flags"}},
		"no YAML":        {nil, "workers: [1\n", []string{"bad.yaml", "line"}},
		"config of file": {nil, "config: other.yaml\n", []string{"bad.yaml:1: config: unknown key"}},
	} {
		t.Run("bad "+name, func(t *testing.T) {
			t.Parallel()
			args := []string{"plan", grid}
			if c.config != "" {
				args = append(args, "--config", write(t, t.TempDir(), "bad.yaml", c.config))
			}
			wantRefusal(t, doWith(t, t.Context(), c.env, args...), c.want)
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("plan wrote the folder of results")
	}
}

// TestFullDisk wants a folder that cannot be used to be a refusal, but not for
// want of room, which passes.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for reason, want := range map[error]bool{fs.ErrPermission: true, syscall.ENOSPC: false, syscall.EDQUOT: false, syscall.EFBIG: false} {
		err := refuseStart(&run.StartError{Err: &fs.PathError{Op: "write", Path: "out/.lock", Err: reason}})
		if refusal := new(command.Refusal); errors.As(err, &refusal) != want {
			t.Errorf("%v: a refusal is %v, want %v", err, !want, want)
		}
	}
}
