package benchmark

import (
	"cmp"
	"embed"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
)

const (
	standardSeed   = 1  // of generated data
	standardBudget = 30 // seconds
)

// Largest requests.
const (
	minRows, maxRows = 10, 10_000_000
	maxFeatures      = 10_000
	maxEntries       = 1_000_000_000 // rows × features
	maxBudget        = 1_000_000
)

func (g *Generated) allowed() bool {
	return g.Rows >= minRows && g.Rows <= maxRows && g.Features >= 1 && g.Features <= maxFeatures && g.Rows*g.Features <= maxEntries
}

// Section is a grid's section: all combinations of its entries.
type Section struct {
	Data    []dataSet
	Tasks   []Task
	Factors []factor
	Solvers []entry
	Budget  float64

	skipAbsent bool
	place      gridfile.Place
}

type dataSet struct {
	dataset.Source

	generated *Generated
	place     gridfile.Place
}

// factor is an entry of c: number or, if shared, number/n.
type factor struct {
	text   string
	number float64
	shared bool
}

func (f factor) of(rows int) float64 {
	if f.shared {
		return f.number / float64(rows)
	}
	return f.number
}

type entry struct {
	name, family string
	version      int
	command      *outside.Program                  // nil for this program's solvers
	read         func(file string) ([]byte, error) // for a command that comes with this program
	place        gridfile.Place
}

func (s *Section) Selection() experiment.Select { return experiment.SelectAll }

type reader struct{ *gridfile.Reader }

func readSection(from *gridfile.Reader, root gridfile.Item, fields map[string]gridfile.Item) experiment.Section {
	r := &reader{from}
	s := &Section{place: r.Place(root), Budget: standardBudget}
	r.Demand(root, fields, "data", "a list of data sets, as in data: [breast_cancer]")
	r.Demand(root, fields, "tasks", "a list of "+strings.Join(gridfile.NamesOf(taskTable), ", "))
	r.Demand(root, fields, "c", "a list of factors of the loss, as in c: [1/n, 1]")
	r.Demand(root, fields, "solvers", "a list of "+strings.Join(gridfile.NamesOf(entries()), ", "))
	absent := ""
	gridfile.Read(fields,
		gridfile.On("data", func(n gridfile.Item) {
			for _, element := range r.Many(n) {
				s.Data = append(s.Data, r.dataSets(element)...)
			}
		}),
		gridfile.On("tasks", gridfile.Into(&s.Tasks, r.tasks)),
		gridfile.On("c", func(n gridfile.Item) { s.Factors = gridfile.Different(from, n, r.factor) }),
		gridfile.On("solvers", gridfile.Into(&s.Solvers, r.solvers)),
		gridfile.On("budget", func(n gridfile.Item) {
			for _, s.Budget = range r.Numbers(n, gridfile.Whole(1, maxBudget)) {
			}
			if n.Kind != yaml.ScalarNode {
				r.Problem(n, "%s is not allowed; one number of seconds is", gridfile.Describe(n.Node))
			}
		}),
		gridfile.On("absent", gridfile.Into(&absent, gridfile.Word(from, "refuse", "skip"))))
	s.skipAbsent = absent == "skip"
	return s
}

func (r *reader) dataSets(n gridfile.Item) []dataSet {
	if n.Kind != yaml.MappingNode || !r.Entry(n, "generated").Given() {
		if of, ok := experiment.ReadSource(r.Reader, n, dataset.Options{}, false); ok {
			return []dataSet{{Source: of, place: r.Place(n)}}
		}
		return nil
	}
	fields := r.Fields(n, "generated")
	given := fields["generated"]
	if fields == nil || !given.Given() {
		return nil
	}
	var rows, features []float64
	seed := int64(standardSeed)
	sizes := r.Keys(given,
		gridfile.On("rows", func(n gridfile.Item) { rows = r.Numbers(n, gridfile.Whole(minRows, maxRows)) }),
		gridfile.On("features", func(n gridfile.Item) { features = r.Numbers(n, gridfile.Whole(1, maxFeatures)) }),
		gridfile.On("seed", gridfile.Into(&seed, gridfile.Integer[int64](r.Reader, 0, math.MaxInt64))))
	if sizes == nil {
		return nil
	}
	r.Demand(given, sizes, "rows", "a number or a list, as in rows: [1000, 10000]")
	r.Demand(given, sizes, "features", "a number or a list, as in features: 50")
	var list []dataSet
	for _, n := range rows {
		for _, d := range features {
			g := &Generated{Rows: int(n), Features: int(d), Seed: seed}
			if !g.allowed() {
				r.Problem(given, "%d rows of %d features; at most %d numbers are allowed", g.Rows, g.Features, maxEntries)
			}
			list = append(list, dataSet{generated: g, place: r.Place(given)})
		}
	}
	return list
}

// tasks reads a task for each combination of an entry's settings.
func (r *reader) tasks(n gridfile.Item) []Task {
	var list []Task
	for _, element := range r.Many(n) {
		e, ok := gridfile.ReadEntry(r.Reader, element, taskTable, "settings; write the name alone")
		if !ok {
			continue
		}
		if e.Choices.Most() > gridfile.MaxCombinations {
			r.Problem(element, "more than %d combinations of its settings", gridfile.MaxCombinations)
			continue
		}
		for i := range e.Choices.Count() {
			t := Task{Name: e.Name, Settings: e.Choices.At(i)}
			if slices.Contains(list, t) {
				r.Problem(element, "the task %s %s is given twice", t.Name, t.Settings.Text())
			}
			list = append(list, t)
		}
	}
	return list
}

var shared = regexp.MustCompile(`^(.*)/n$`)

func (r *reader) factor(n gridfile.Item) factor {
	text := r.Text(n)
	f := factor{text: text}
	if match := shared.FindStringSubmatch(text); match != nil {
		f.shared, text = true, match[1]
	}
	var err error
	if f.number, err = strconv.ParseFloat(text, 64); err != nil || !(f.number >= 1e-100 && f.number <= 1e100) {
		r.Problem(n, "%s is not allowed; a number > 0 is, or one divided by the rows, as in 100/n", gridfile.Describe(n.Node))
	}
	return f
}

func (e entry) Declaration() (name string, settings []gridfile.SettingInfo) { return e.name, nil }

func entries() []entry {
	var list []entry
	for _, s := range solverTable {
		list = append(list, entry{name: s.name, family: s.family, version: s.version})
	}
	return append(list, programs...)
}

func (r *reader) solvers(n gridfile.Item) []entry {
	var list []entry
	for _, element := range r.Many(n) {
		e, ok := r.solver(element)
		if ok && slices.ContainsFunc(list, func(other entry) bool { return other.name == e.name }) {
			r.Problem(element, "the solver %s is given twice", e.name)
		} else if ok {
			list = append(list, e)
		}
	}
	return list
}

func (r *reader) solver(n gridfile.Item) (e entry, ok bool) {
	table := entries()
	if !experiment.IsCommand(n) {
		of, settings, ok := gridfile.ReadNamed(r.Reader, n, table)
		if settings.Given() {
			r.Problem(settings, "%s has no settings", of.name)
		}
		of.place = r.Place(n)
		return of, ok && !settings.Given()
	}
	family := generic
	e = entry{version: outside.Protocol, place: r.Place(n)}
	e.name, e.command, ok = experiment.ReadCommand(r.Reader, n, func(name string) error {
		return experiment.CheckCommandName(name, "solver", table)
	}, gridfile.On("family", gridfile.Into(&family, gridfile.Word(r.Reader, specialized, generic))))
	e.family = cmp.Or(family, generic)
	return e, ok
}

//go:embed programs/*.py
var programFiles embed.FS

// programs are the commands that come with this program. They use Debian's Python and packages.
var programs = []entry{
	solverProgram("liblinear", specialized, "liblinear_solver.py"),
	solverProgram("liblinear-newton", specialized, "liblinear_solver.py", "newton"),
	solverProgram("scipy-lbfgsb", specialized, "lbfgsb_solver.py"),
	solverProgram("cvxopt", generic, "cvxopt_solver.py"),
	solverProgram("ecos", generic, "ecos_solver.py"),
	solverProgram("clp", generic, "clp_solver.py"),
	solverProgram("osqp", generic, "osqp_solver.py"),
	solverProgram("scs", generic, "scs_solver.py"),
}

func solverProgram(name, family, file string, words ...string) entry {
	files := []string{"agepath_solver.py", "start.py", file}
	if family == generic {
		files = append(files, "quadratic.py")
	}
	slices.Sort(files)
	command := &outside.Program{Run: append([]string{"/usr/bin/python3", "start.py", file}, words...)}
	for _, name := range files {
		command.Files = append(command.Files, outside.File{Name: name})
	}
	return entry{name: name, family: family, version: outside.Protocol, command: command, read: func(file string) ([]byte, error) {
		return programFiles.ReadFile("programs/" + file)
	}}
}
