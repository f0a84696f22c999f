package run

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/needs"
)

// commandSlot is a slot's process that computes grids.
func commandSlot() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asSlot+"="+selfpaced.Name)
	return cmd
}

// zeros is the script of a command whose coefficients are 0, and cellID takes the id out
// of a request.
const (
	cellID = `c=${l#*\"id\":\"}; c=${c%%\"*}; `
	zeros  = `while read l; do ` + cellID + `echo '{"cell": "'$c'", "coefficients": [[0,0,0,0,0,0,0,0,0,0,0]]}'; done`
)

// commandPlan is the plan of a grid with a command for each script, and its folder.
func commandPlan(t *testing.T, scripts map[string]string, set ...string) (*experiment.Grid, *experiment.Plan, string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the commands are scripts of a Unix shell, and processes are listed by /proc")
	}
	needs.Program(t, "scripts as commands", "setsid") // with it the other small programs are there
	dir := t.TempDir()
	text := "name: commands\nsplit: {validation: 0}\ndata: [diabetes]\nmodels: [{lasso: {alpha: 0.1}}]\nmethods:\n"
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name+".sh"), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("  - command: {name: %s, run: [/bin/sh, %s.sh], files: [%s.sh]}\n", name, name, name)
	}
	grid, err := experiment.Parse([]byte(text), filepath.Join(dir, "commands.yaml"), set)
	if err != nil {
		t.Fatal(err)
	}
	p, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil {
		t.Fatal(err)
	}
	return grid, p, dir
}

// running lists the processes whose command line begins so.
func running(words string) (list []string) {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil && bytes.HasPrefix(text, []byte(words)) {
			list = append(list, path)
		}
	}
	return list
}

// TestCommands has commands that do their worst in processes of slots, among one that
// is fine: each has one row with its status, and leaves no process behind.
func TestCommands(t *testing.T) {
	t.Parallel()
	nap := fmt.Sprintf("sleep 7%d.25", os.Getpid())
	cases := map[string]struct {
		script  string
		status  experiment.Status
		message string
	}{
		"fine":     {zeros, experiment.OK, ""},
		"crash":    {`read l; echo because >&2; exit 3`, experiment.Failed, "exit status 3\nstandard error:\nbecause"},
		"garbage":  {`read l; echo hello`, experiment.Failed, `its answer "hello"`},
		"hangs":    {`read l; NAP`, experiment.Timeout, "the command was ended"},
		"forks":    {`env -i setsid NAP & (env -i setsid sh -c 'NAP & NAP &' &) ; read l; NAP`, experiment.Timeout, "the command was ended"},
		"leaves":   {`env -i setsid NAP & read l; exit 5`, experiment.Failed, "exit status 5"},
		"greedy":   {`read l; head -c 1000000000 /dev/zero | tail -n 1 >/dev/null; NAP`, experiment.Memory, "its limit is"},
		"murder":   {`NAP & read l; kill -9 $PPID; NAP`, experiment.Failed, "signal: killed"},
		"infinite": {`read l; echo '{"coefficients": [[1e999]]}'`, experiment.Failed, "its answer"},
	}
	scripts := map[string]string{}
	for name, c := range cases {
		scripts[name] = strings.ReplaceAll(c.script, "NAP", nap)
	}
	grid, p, _ := commandPlan(t, scripts, "limits={timeout: 6s, memory: 400MiB, attempts: 1}")
	q := startQueue(t)
	if _, err := Submit(t.Context(), q, grid, p); err != nil {
		t.Fatal(err)
	}
	w := &Worker{
		Queue: q, Process: commandSlot, Cache: t.TempDir(), Slots: 2, Drain: true, Idle: 10 * time.Millisecond, AllowCommands: true,
		Report: func(_ string, err error) { t.Error(err) },
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]*experiment.Outcome{}
	for _, o := range outcomesOf(t, q, p.Run) {
		got[methodOf(t, o)] = o
	}
	for name, c := range cases {
		o := got[name]
		if o == nil {
			t.Errorf("%s: no row", name)
			continue
		}
		// A busy machine may hold up the slot's process until it is killed in its turn.
		killed := c.status == experiment.Timeout && strings.Contains(o.Error, "so its process was killed")
		if o.Status != c.status || !(killed || strings.Contains(o.Error, c.message)) || (c.message == "") != (o.Error == "") {
			t.Errorf("%s: %s %q, want %s %q", name, o.Status, o.Error, c.status, c.message)
		}
		if name == "greedy" && (o.Peak == nil || *o.Peak < 400<<20) {
			t.Errorf("peak %v", o.Peak)
		}
	}
	if left := running(strings.ReplaceAll(nap, " ", "\x00")); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

// methodOf returns the method of an outcome.
func methodOf(t *testing.T, o *experiment.Outcome) string {
	t.Helper()
	for j, column := range selfpaced.Tables().Labels {
		if column.Name == "method" {
			return o.Labels.Columns[j].Texts[0]
		}
	}
	t.Fatal("there is no column method")
	return ""
}

// TestCommandsRefused wants a clear row of a worker that runs no commands, in its
// process and in those of slots, and the same cells computed by one that does.
func TestCommandsRefused(t *testing.T) {
	t.Parallel()
	for name, process := range map[string]func() *exec.Cmd{"in the worker": nil, "in processes": commandSlot} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grid, p, _ := commandPlan(t, map[string]string{"fine": zeros}, "limits.attempts=1")
			q := startQueue(t)
			w := &Worker{
				Queue: q, Process: process, Cache: t.TempDir(), Slots: 1, Drain: true, Idle: 10 * time.Millisecond,
				Kinds: []experiment.Kind{selfpaced.Kind{}},
			}
			for _, allow := range []bool{false, true} {
				w.AllowCommands = allow
				if allow {
					if _, err := Retry(t.Context(), q, p.Run, []experiment.Status{experiment.Failed}, nil); err != nil {
						t.Fatal(err)
					}
				} else if _, err := Submit(t.Context(), q, grid, p); err != nil {
					t.Fatal(err)
				}
				if err := w.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				list := outcomesOf(t, q, p.Run)
				if len(list) != 2 {
					t.Fatalf("%d rows", len(list))
				}
				for _, o := range list {
					if methodOf(t, o) == selfpaced.Constant {
						continue
					}
					if (o.Status == experiment.OK) != allow || !allow && !strings.Contains(o.Error, "start it with --allow-commands") {
						t.Errorf("allowed %v: %s %q", allow, o.Status, o.Error)
					}
				}
			}
		})
	}
}

// TestTamperedFile wants a file of a command that is not what its digest says refused
// by who computes and mended by who submits.
func TestTamperedFile(t *testing.T) {
	t.Parallel()
	grid, p, dir := commandPlan(t, map[string]string{"fine": zeros})
	q := startQueue(t)
	submit := func(replaced int) {
		t.Helper()
		s, err := Submit(t.Context(), q, grid, p)
		if err != nil || len(s.Replaced) != replaced {
			t.Fatalf("%+v, %v; want %d replaced", s, err, replaced)
		}
	}
	submit(0)
	evil := filepath.Join(t.TempDir(), "evil")
	digest := p.Files["fine.sh"]
	if err := q.ReplaceData(t.Context(), digest, strings.NewReader("touch "+evil)); err != nil {
		t.Fatal(err)
	}
	w := &Worker{
		Queue: q, Process: commandSlot, Cache: t.TempDir(), Slots: 1, Drain: true, Idle: 10 * time.Millisecond, AllowCommands: true,
		Kinds: []experiment.Kind{selfpaced.Kind{}},
	}
	var said []string
	w.Report = func(_ string, err error) { said = append(said, err.Error()) }
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(evil); !os.IsNotExist(err) || !strings.Contains(strings.Join(said, "\n"), digest) {
		t.Errorf("%v; said %q", err, said)
	}
	if counts, err := q.Counts(t.Context(), p.Run); err != nil || counts != (queue.Counts{InFlight: 1, Done: 1}) {
		t.Errorf("counts %+v, %v; want the cell handed back and the constant's done", counts, err)
	}
	submit(1)
	submit(0)

	// What changes in the grid's folder is noticed before it is sent, and makes another run.
	if err := os.WriteFile(filepath.Join(dir, "fine.sh"), []byte("true"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.File(t.Context(), digest); err == nil || !strings.Contains(err.Error(), "no longer the one") {
		t.Errorf("a changed file: %v", err)
	}
	changed, err := grid.Plan(t.Context(), &dataset.Library{})
	if err != nil || changed.Run == p.Run {
		t.Errorf("a changed file makes the run %s again: %v", p.Run, err)
	}
	// The server has what is needed to plan the run anywhere.
	_, again, err := FindRun(t.Context(), q, p.Run)
	if err != nil || again.Files["fine.sh"] != digest || digest != outside.Digest([]byte(zeros)) {
		t.Errorf("the run at the server: %v", err)
	}
}
