package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/selfpaced"
	"github.com/agepath/agepath/internal/testing/needs"
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
	needs.Patience(t, "3 s")
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
		"daemon":   {`(setsid sh -c 'head -c 1000000000 /dev/zero | tail -n 1 >/dev/null; NAP' &) ; read l; NAP`, experiment.Memory, "its limit is"},
		"murder":   {`NAP & read l; kill -9 $PPID; NAP`, experiment.Failed, "signal: killed"},
		"infinite": {`read l; echo '{"coefficients": [[1e999]]}'`, experiment.Failed, "its answer"},
	}
	got := map[string]*experiment.Outcome{}
	for timeout, hang := range map[string]bool{"2s": true, "1m": false} { // a busy machine takes seconds to fill the memory
		scripts := map[string]string{}
		for name, c := range cases {
			if hang == (c.status == experiment.Timeout) {
				scripts[name] = strings.ReplaceAll(c.script, "NAP", nap)
			}
		}
		grid, p, _ := commandPlan(t, scripts, "limits={timeout: "+timeout+", memory: 400MiB, attempts: 1}")
		maps.Copy(got, computeCommands(t, grid, p, 2, commandSlot, wantFailuresAlone(t)))
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

// computeCommands has a worker compute the cells of a plan, and returns the outcomes by method.
func computeCommands(t *testing.T, grid *experiment.Grid, p *experiment.Plan, slots int, process func() *exec.Cmd, report func(string, error)) map[string]*experiment.Outcome {
	t.Helper()
	q := startQueue(t)
	if _, err := Submit(t.Context(), q, grid, p, Reuse{}); err != nil {
		t.Fatal(err)
	}
	w := &Worker{
		Queue: q, Process: process, Cache: t.TempDir(), Slots: slots, Drain: true, Idle: 10 * time.Millisecond, AllowCommands: true,
		RetryDelay: 10 * time.Millisecond, Report: report,
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]*experiment.Outcome{}
	for _, o := range outcomesOf(t, q, p.Run) {
		got[methodOf(t, o)] = o
	}
	return got
}

// wantFailuresAlone takes reports of attempts that failed, and no other.
func wantFailuresAlone(t *testing.T) func(string, error) {
	return func(cell string, err error) {
		if !errors.As(err, new(*FailureError)) {
			t.Errorf("cell %s: %v", cell, err)
		}
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

// TestKilledCommandsUseAttempts wants cells whose slot, command or child of a command is killed
// tried again while attempts are left, and one that fails alike by itself twice only.
func TestKilledCommandsUseAttempts(t *testing.T) {
	t.Parallel()
	after := func(kills int, kill string) string {
		count := filepath.Join(t.TempDir(), "count")
		return fmt.Sprintf(`read l; echo >>%s; if [ $(wc -l <%[1]s) -le %d ]; then %s; exit 1; fi; (echo "$l"; cat) | { %s; }`, count, kills, kill, zeros)
	}
	grid, p, _ := commandPlan(t, map[string]string{
		"slot": after(4, "kill -9 $PPID; sleep 9"), "command": after(4, "kill -9 $$"), "ended": after(4, "kill $$"),
		"child": after(4, `sh -c 'kill -9 $$'; exit $?`), "itself": after(4, "echo no >&2; exit 1"), "crash": after(4, "kill -SEGV $$"),
		"always": after(99, "kill -9 $$"),
	}, "limits.attempts=6")
	got := computeCommands(t, grid, p, 1, commandSlot, wantFailuresAlone(t))
	for method, want := range map[string]struct {
		status      experiment.Status
		least, most int // attempts; of cells computed together, none is known to have failed
	}{
		"slot": {experiment.OK, 3, 5}, "command": {experiment.OK, 3, 5}, "ended": {experiment.OK, 3, 5}, "child": {experiment.OK, 3, 5},
		"itself": {experiment.Failed, 2, 2}, "crash": {experiment.Failed, 2, 2}, "always": {experiment.Failed, 6, 6},
	} {
		if o := got[method]; o.Status != want.status || o.Attempts < want.least || o.Attempts > want.most {
			t.Errorf("%s: %s after %d attempts (%s), want %+v", method, o.Status, o.Attempts, o.Error, want)
		}
	}
}

// TestCommandsRefused wants the cells of commands left to others by a worker that runs
// none, in its process and in those of slots, which says nothing of them, and computed by one
// that does, at once and as their first attempt. Alone, such a worker has a clear row.
func TestCommandsRefused(t *testing.T) {
	t.Parallel()
	for name, process := range map[string]func() *exec.Cmd{"in the worker": nil, "in processes": commandSlot} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grid, p, _ := commandPlan(t, map[string]string{"fine": zeros}, "limits.attempts=1")
			q := startQueue(t)
			var said []string
			w := &Worker{
				Queue: q, Process: process, Cache: t.TempDir(), Slots: 1, Drain: true, Idle: 10 * time.Millisecond,
				Kinds: []experiment.Kind{selfpaced.Kind{}}, Report: func(_ string, err error) { said = append(said, err.Error()) },
			}
			if _, err := Submit(t.Context(), q, grid, p, Reuse{}); err != nil {
				t.Fatal(err)
			}
			if err := w.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if list := ofCommands(t, q, p.Run); len(list) > 0 || len(said) > 0 {
				t.Errorf("%d rows, said %q", len(list), said)
			}
			w.AllowCommands = true
			if err := w.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if o := theOutcome(t, q, p.Run); o.Status != experiment.OK || o.Attempts != 1 {
				t.Errorf("row %+v", o)
			}

			if err := Purge(t.Context(), q, p.Run, true); err != nil {
				t.Fatal(err)
			}
			if _, err := Submit(t.Context(), q, grid, p, Reuse{}); err != nil {
				t.Fatal(err)
			}
			w.AllowCommands, w.Alone = false, true
			if err := w.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if o := theOutcome(t, q, p.Run); o.Status != experiment.Failed || !strings.Contains(o.Error, "start it with --allow-commands") || o.Lacks != "" {
				t.Errorf("row of a worker that is alone %+v", o)
			}
		})
	}
}

// ofCommands returns the outcomes of a run's commands, without those of the constant.
func ofCommands(t *testing.T, q *queue.Queue, run string) map[string]*experiment.Outcome {
	t.Helper()
	list := outcomesOf(t, q, run)
	maps.DeleteFunc(list, func(_ string, o *experiment.Outcome) bool { return methodOf(t, o) == selfpaced.Constant })
	return list
}

// theOutcome returns the only outcome of a run's commands.
func theOutcome(t *testing.T, q *queue.Queue, run string) *experiment.Outcome {
	t.Helper()
	list := slices.Collect(maps.Values(ofCommands(t, q, run)))
	if len(list) != 1 {
		t.Fatalf("%d rows", len(list))
	}
	return list[0]
}

// TestLacks has a run of commands computed by a worker that can and by one that lacks
// what they need: no cell fails or uses up an attempt, and what the second lacks is said
// in its log and by its presence. Without the first no worker can, which is said of the run.
func TestLacks(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	bin := t.TempDir()
	if runtime.GOOS == "linux" {
		if err := os.Symlink("/bin/sh", filepath.Join(bin, "agepath-shell")); err != nil {
			t.Fatal(err)
		}
	}
	path := "PATH=" + bin + ":" + os.Getenv("PATH")
	for name, test := range map[string]struct {
		run, bad, what string
	}{
		"a program":          {"[agepath-shell, fine.sh]", "PATH=/nowhere", "what starts the program agepath-shell"},
		"an interpreter":     {"[/usr/bin/env, agepath-shell, fine.sh]", "PATH=/nowhere", "a program that the command starts"},
		"a folder":           {"[/bin/sh, fine.sh]", "TMPDIR=/nowhere", "a usable folder for temporary files"},
		"room in the folder": {"[/bin/sh, fine.sh]", "full", "room in the folder for temporary files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grid, p, _ := commandPlan(t, map[string]string{"fine": zeros}, "repeats=40", "limits.attempts=1",
				"methods=[{command: {name: fine, run: "+test.run+", files: [fine.sh]}}]")
			bad := test.bad
			if bad == "full" {
				dir, err := needs.SmallDisk(t, 16<<10)
				if err != nil {
					needs.Lacking(t, "a full disk: %v", err)
				}
				bad = "TMPDIR=" + dir
			}
			slot := func(env string) func() *exec.Cmd {
				return func() *exec.Cmd {
					cmd := commandSlot()
					cmd.Env = append(cmd.Env, path, env)
					return cmd
				}
			}
			q := startQueue(t)
			if _, err := Submit(t.Context(), q, grid, p, Reuse{}); err != nil {
				t.Fatal(err)
			}
			var said syncText
			kinds := []experiment.Kind{selfpaced.Kind{}}
			lacking := &Worker{
				Name: "lacking", Queue: q, Kinds: kinds, Process: slot(bad), Cache: t.TempDir(), Slots: 2, Idle: 10 * time.Millisecond,
				AllowCommands: true, Report: func(_ string, err error) { said.add(err.Error()) },
			}
			able := &Worker{
				Name: "able", Queue: q, Kinds: kinds, Process: slot("X=1"), Cache: t.TempDir(), Slots: 1, Idle: 10 * time.Millisecond,
				AllowCommands: true, Report: func(cell string, err error) {
					if !errors.Is(err, queue.ErrUnacknowledged) { // of a cell that ends as the run is reopened
						wantFailuresAlone(t)(cell, err)
					}
				},
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 2)
			go func() { ended <- lacking.Run(ctx) }()
			description, err := Describe(t.Context(), q, p.Run)
			if err != nil {
				t.Fatal(err)
			}
			unable := func() string {
				workers, _, err := q.Workers(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprint(description.Unable(workers, true, time.Now()))
			}
			waitFor(t, "no worker for "+test.what, func() bool { return strings.Contains(unable(), test.what) })
			waitFor(t, "the worker has left a task to others", func() bool {
				workers, _, err := q.Workers(t.Context())
				return err == nil && slices.ContainsFunc(workers, func(w queue.Presence) bool {
					return slices.ContainsFunc(w.Lacks, func(l queue.Lack) bool { return l.What == test.what })
				})
			})
			if list := ofCommands(t, q, p.Run); len(list) > 0 {
				t.Fatalf("rows %v", list)
			}
			go func() { ended <- able.Run(ctx) }()
			waitFor(t, "the lacking worker hears of the other", func() bool { return strings.HasSuffix(unable(), "[]") })
			time.Sleep(2 * time.Second)                          // until it looks again
			if err := q.Reopen(t.Context(), p.Run); err != nil { // instead of waiting for tasks that were left to others
				t.Fatal(err)
			}
			waitFor(t, "all cells are computed", func() bool { return len(ofCommands(t, q, p.Run)) == 40 })
			stop()
			for range 2 {
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
			}
			list := ofCommands(t, q, p.Run)
			for _, o := range list {
				if o.Status != experiment.OK || o.Attempts != 1 || o.Worker != "able" {
					t.Errorf("%s of %s at attempt %d: %s", o.Status, o.Worker, o.Attempts, o.Error)
				}
			}
			if len(list) != 40 || !strings.Contains(said.all(), test.what) {
				t.Errorf("%d rows; said %s", len(list), said.all())
			}
		})
	}
}

// syncText gathers texts of goroutines.
type syncText struct {
	mu   sync.Mutex
	text []string
}

func (s *syncText) add(text string) {
	s.mu.Lock()
	s.text = append(s.text, text)
	s.mu.Unlock()
}

func (s *syncText) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.text, "\n")
}

// TestCommandEnvironment wants commands to get what every program needs and the variables
// that the grid names, of which the slot itself has none.
func TestCommandEnvironment(t *testing.T) {
	for name, value := range map[string]string{"OWN_SECRET": "hunter2", "OWN_THREADS": "3", "AGEPATH_NATS_URL": "hunter2"} {
		t.Setenv(name, value)
	}
	show := `read l; ` + cellID + `e=$(env | cut -d= -f1 | sort | tr '\n' ' '); p=$(tr '\0' ' ' </proc/$PPID/environ)
echo "{\"cell\": \"$c\", \"error\": \"$OWN_THREADS; $e; $p\"}"`
	grid, p, _ := commandPlan(t, map[string]string{"show": show}, "limits.attempts=1",
		"methods=[{command: {name: show, run: [/bin/sh, show.sh], files: [show.sh], env: [OWN_THREADS, OWN_MISSING]}}]")
	q := startQueue(t)
	if _, err := Submit(t.Context(), q, grid, p, Reuse{}); err != nil {
		t.Fatal(err)
	}
	w := &Worker{
		Queue: q, Cache: t.TempDir(), Slots: 1, Drain: true, Idle: 10 * time.Millisecond, AllowCommands: true,
		Kinds: []experiment.Kind{selfpaced.Kind{}}, Process: func() *exec.Cmd {
			cmd := commandSlot()
			cmd.Env = append(outside.Base(os.Environ()), asSlot+"="+selfpaced.Name)
			return cmd
		},
	}
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := theOutcome(t, q, p.Run)
	threads, rest, _ := strings.Cut(strings.TrimPrefix(o.Error, "the method show: "), "; ")
	names, parents, _ := strings.Cut(rest, "; ")
	if threads != "3" || strings.Contains(parents, "hunter2") || strings.Contains(parents, "OWN_THREADS") || !strings.Contains(parents, "PATH=") {
		t.Errorf("the command and its slot have %s", o.Error)
	}
	for name := range strings.FieldsSeq(names) {
		own := name == "OWN_THREADS" || name == outside.MarkVariable || slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name) // of the shell
		if !own && len(outside.Base([]string{name + "="})) == 0 {
			t.Errorf("the command has the variable %s", name)
		}
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
		s, err := Submit(t.Context(), q, grid, p, Reuse{})
		if err != nil || len(s.Replaced) != replaced {
			t.Fatalf("%+v, %v; want %d replaced", s, err, replaced)
		}
	}
	submit(0)
	evil := filepath.Join(t.TempDir(), "evil")
	digest := p.Files["fine.sh"]
	if err := q.PutData(t.Context(), digest, strings.NewReader("touch "+evil)); err != nil {
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
	if counts, err := q.Counts(t.Context(), p.Run); err != nil || counts != (queue.Counts{InFlight: 1, Commands: 1, Done: 1}) {
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
	_, again, _, err := findRun(t.Context(), q, p.Run)
	if err != nil || again.Files["fine.sh"] != digest || digest != outside.Digest([]byte(zeros)) {
		t.Errorf("the run at the server: %v", err)
	}
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}
