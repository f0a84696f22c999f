package selfpaced

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
)

// planCommand plans a grid with a command of the given keys in a folder.
func planCommand(t *testing.T, dir, keys string) (*experiment.Plan, error) {
	t.Helper()
	text := `
data: [diabetes]
models: [{lasso: {alpha: [0.1, 0.2]}}]
regularizers: [linear, hard]
methods: [original, {command: {name: mine, ` + keys + `}}]
age: {min: 0.1, max: 20}
`
	grid, err := experiment.Parse([]byte(text), filepath.Join(dir, "grid.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return grid.Plan(t.Context(), &dataset.Library{})
}

// TestCommandIdentity wants everything that a command's numbers depend on in the
// identity of its cells, and tasks that a worker takes.
func TestCommandIdentity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "mine.sh"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]string{}
	for _, c := range []struct {
		name, keys, file string
		cells            int // of the command
	}{
		{"plain", "run: [sh, mine.sh], files: [mine.sh]", "one", 2},
		{"version", "run: [sh, mine.sh], files: [mine.sh], version: 3", "one", 2},
		{"line", "run: [sh, mine.sh, -v], files: [mine.sh]", "one", 2},
		{"content", "run: [sh, mine.sh], files: [mine.sh]", "two", 2},
		{"no files", "run: [sh, mine.sh]", "two", 2},
		{"nothing", "run: [sh, mine.sh], uses: []", "two", 1},
		{"no model", "run: [sh, mine.sh], uses: age", "two", 1},
		{"all", "run: [sh, mine.sh], uses: [age, regularizer, model]", "two", 4},
	} {
		write(c.file)
		p, err := planCommand(t, dir, c.keys)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if other, ok := seen[p.Run]; ok {
			t.Errorf("%s and %s are the run %s", c.name, other, p.Run)
		}
		seen[p.Run] = c.name
		if !slices.Equal(p.Commands(), []string{"mine"}) {
			t.Errorf("%s: commands %v", c.name, p.Commands())
		}
		cells := 0
		for task, err := range p.Tasks() {
			if err != nil {
				t.Fatal(err)
			}
			if err := (Kind{}).Check(&task); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			cell, err := DecodeCell(task.Spec)
			if err != nil {
				t.Fatal(err)
			}
			if cell.Method.Command == "" {
				continue
			}
			cells++
			if other, ok := seen[task.Cell]; ok {
				t.Errorf("%s and %s have the cell %s", c.name, other, task.Cell)
			}
			seen[task.Cell] = c.name
			if want := (experiment.Need{Name: "command", Version: outside.Protocol}); !slices.Equal(task.Needs, []experiment.Need{want, choiceNeed}) {
				t.Errorf("%s: needs %v", c.name, task.Needs)
			}
			if strings.Contains(c.keys, "files") != slices.Equal(task.Files, []string{outside.Digest([]byte(c.file))}) {
				t.Errorf("%s: files %v", c.name, task.Files)
			}
			task.Files = append(task.Files, outside.Digest(nil))
			if err := (Kind{}).Check(&task); err == nil {
				t.Errorf("%s: a task with another file passes", c.name)
			}
		}
		if cells != c.cells {
			t.Errorf("%s: %d cells, want %d", c.name, cells, c.cells)
		}
	}
	if _, err := planCommand(t, dir, "run: [sh], files: [none.sh]"); err == nil || !strings.Contains(err.Error(), "the file none.sh of the command mine") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestCommandFilesFollowNoLink wants files refused that are links, or below a link out of the
// grid's folder: they would travel to the workers.
func TestCommandFilesFollowNoLink(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "key"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"key": filepath.Join(elsewhere, "key"), "out": elsewhere} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no links:", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"key": "is not a regular file", "out/key": "escapes", "folder": "is not a regular file"} {
		if p, err := planCommand(t, dir, "run: [sh], files: ["+file+"]"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: planned %v, %v; want %s", file, p, err, want)
		}
	}
}

// TestCommandPath wants paths taken as far as they go, and ages only where asked for.
func TestCommandPath(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		age    Age
		answer outside.Answer
		status string // of the path, or of the error
	}{
		"complete":   {Age{Min: 1, Max: 3, Step: 1}, outside.Answer{Ages: []float64{1, 3}, Coefficients: [][]float64{{1, 0, 0}, {1, 2, 0}}}, "complete"},
		"stopped":    {Age{Min: 1, Max: 3, Step: 1}, outside.Answer{Ages: []float64{1, 2}, Coefficients: [][]float64{{1, 0, 0}, {1, 2, 0}}, Stopped: "tired"}, "stopped: tired"},
		"beyond":     {Age{Min: 1, Max: 3, Step: 1}, outside.Answer{Ages: []float64{1, 4}, Coefficients: [][]float64{{1, 0, 0}, {1, 2, 0}}}, "allowed are 1 to 3"},
		"no ages":    {Age{Min: 1, Max: 3, Step: 1}, outside.Answer{Coefficients: [][]float64{{1, 0, 0}}}, "a command has ages if it uses: age"},
		"given ages": {Age{}, outside.Answer{Ages: []float64{1}, Coefficients: [][]float64{{1, 0, 0}}}, "a command has ages if it uses: age"},
		"one fit":    {Age{}, outside.Answer{Coefficients: [][]float64{{1, 0, 0}}}, ""},
	} {
		f := &Fitted{}
		err := f.addAnswer(&Cell{Method: Method{Name: "mine", Age: test.age}}, &test.answer)
		if err != nil {
			if test.status == "" || !strings.Contains(err.Error(), test.status) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if f.status != test.status || (f.incomplete() != nil) != (name == "stopped") {
			t.Errorf("%s: %q, %v", name, f.status, f.incomplete())
		}
		if last := f.Knots[len(f.Knots)-1]; last.Active != len(f.Knots) {
			t.Errorf("%s: %d active coefficients", name, last.Active)
		}
	}
}
