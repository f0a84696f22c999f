package selfpaced

import (
	"cmp"
	"context"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/gaga"
)

// Names of the methods.
const (
	Original     = "original"     // all weights 1
	ACS          = "acs"          // alternate convex search at ages with a fixed step
	ACSOnce      = "acs-once"     // one alternation at each age, as in the paper's scripts
	ACSShare     = "acs-share"    // at ages that admit growing shares of the samples
	MOSPL        = "mospl"        // multi-objective self-paced learning: a front
	GAGA         = "gaga"         // the age path with its critical points
	HuberLasso   = "huber-lasso"  // Huber's loss with the model's penalty
	SparseLTS    = "sparse-lts"   // least trimmed squares with the model's penalty
	MM           = "mm"           // MM-estimator with the model's penalty
	TrimmedLoss  = "trimmed-loss" // the samples with the smallest losses, by alternation from the plain fit
	CrossEntropy = "gce"          // generalized cross entropy
	Forward      = "forward"      // logistic regression corrected for label flips
	Diverse      = "spld"         // self-paced learning by shares with diversity
	Graduated    = "gnc"          // truncated loss at each age, by graduated non-convexity
	RLSSVM       = "rlssvm"       // trimmed and weighted least squares machine
	ReLSSVM      = "relssvm"      // least squares machine with a truncated loss
	RobustSVM    = "robust-svm"   // support vector machine corrected for label flips
	Constant     = "constant"     // median and mean of the targets, or the shares of the classes
)

// Method is a method with the settings it uses. Ignored ones are zero, so that equal computations
// are equal values. Its JSON is part of the canonical form of a cell.
type Method struct {
	Name        string            `json:"name"`
	Algorithm   int               `json:"algorithm"` // version of the method's numbers
	Regularizer Regularizer       `json:"regularizer,omitzero"`
	Age         Age               `json:"age,omitzero"`
	Settings    gridfile.Settings `json:"settings,omitzero"`
	Command     string            `json:"command,omitempty"` // [outside.Program] in canonical form
}

func (m *Method) need() experiment.Need {
	if m.Command != "" {
		return experiment.Need{Name: experiment.CommandNeed, Version: m.Algorithm}
	}
	return experiment.Need{Name: m.Name, Version: m.Algorithm}
}

// Age is the range of ages λ of a path: given, 0 < Min < Max, or derived by each cell.
type Age struct {
	Min  float64 `json:"min,omitempty"`
	Max  float64 `json:"max,omitempty"`
	Step float64 `json:"step,omitempty"` // between given ages; 0 if the method chooses
	Auto int     `json:"auto,omitempty"` // version of the derivation; 0 for a given range
	// Direction of the path: "" for up, down or both.
	Direction string `json:"direction,omitempty"`
}

const (
	up   = "up"
	down = "down"
	both = "both"

	byTask = "by task" // of derived ages in a grid that says nothing, see [Age.of]
)

// of settles the direction of derived ages: in regression the path up is nearly always better, in
// classification each is better half of the time (docs/choosing-an-age.md). Given ages go up.
func (a Age) of(task dataset.Task) Age {
	if a.Direction == byTask {
		if a.Direction = ""; task == dataset.Classification {
			a.Direction = both
		}
	}
	return a
}

// ways lists the directions in the order of the knots.
func (a Age) ways() []gaga.Direction {
	switch a.Direction {
	case down:
		return []gaga.Direction{gaga.Down}
	case both:
		return []gaga.Direction{gaga.Up, gaga.Down}
	}
	return []gaga.Direction{gaga.Up}
}

func (a Age) words() string {
	switch {
	case a == Age{}:
		return ""
	case a.Auto != 0:
		return autoWord
	}
	return "given"
}

func (m *Method) direction() string {
	if info, err := m.info(); err != nil || !info.directed {
		return ""
	}
	return cmp.Or(m.Age.Direction, up)
}

// methodInfo defines what a method uses of a grid, and its computation. A new method is a value in
// a file of its own, listed in methodTable.
type methodInfo struct {
	name      string
	command   string
	algorithm int // increase when the method's numbers change

	regularized  bool     // one cell per regularizer
	regularizers []string // supported; nil for all
	knowsOnly    string   // why others are refused
	aged         bool     // uses age.min and age.max
	stepped      bool     // uses age.acs_step
	directed     bool     // uses age.direction

	// everywhere means one computation for all models of a data set, even if not in the grid. Names
	// of runs leave the method out.
	everywhere bool

	models   []string // supported; nil for all but erm
	ownModel bool     // one cell for all parameters of the model
	settings []gridfile.SettingInfo

	// fit computes the knots and how their path ended.
	fit func(ctx context.Context, f *Fitted, c *Cell, train *dataset.Part) error
	// work estimates nanoseconds, bytes the memory without data and kernel matrices; nil if
	// negligible.
	work  func(g *group, n, d float64) float64
	bytes func(c *Cell, n, d int64) int64
}

func (m *methodInfo) need() experiment.Need {
	method := Method{Name: m.name, Algorithm: m.algorithm, Command: m.command}
	return method.need()
}

func (m *methodInfo) Declaration() (string, []gridfile.SettingInfo) { return m.name, m.settings }

// methodTable has the order of messages and documents.
var methodTable = []*methodInfo{
	&originalMethod, &acsMethod, &mosplMethod, &gagaMethod, &huberMethod, &sparseLTSMethod, &mmMethod, &trimmedMethod, &crossEntropyMethod, &forwardMethod, &rlssvmMethod, &relssvmMethod, &robustMethod,
	&acsOnceMethod, &acsShareMethod, &diverseMethod, &graduatedMethod, &constantMethod,
}

func (m *methodInfo) with(r Regularizer, age Age, settings gridfile.Settings) Method {
	method := Method{Name: m.name, Algorithm: m.algorithm, Settings: settings, Command: m.command}
	if m.regularized {
		method.Regularizer = r
	}
	method.Age = m.ages(age)
	return method
}

// ages keeps what the method uses.
func (m *methodInfo) ages(age Age) Age {
	if !m.aged {
		age.Min, age.Max, age.Auto = 0, 0, 0
	}
	if !m.stepped {
		age.Step = 0
	}
	if !m.directed {
		age.Direction = ""
	}
	return age
}

// of drops what the method ignores.
func (m *methodInfo) of(models *Models) *Models {
	if !m.ownModel {
		return models
	}
	used := *models
	used.Choices, used.Kernel, used.Intercept = nil, "", false
	return &used
}

func (m *methodInfo) fits(model string) bool { return slices.Contains(m.modelNames(), model) }

func methodsFor(model string) []string {
	return gridfile.NamesOf(slices.DeleteFunc(slices.Clone(methodTable), func(m *methodInfo) bool { return m.everywhere || !m.fits(model) }))
}

func (m *methodInfo) modelNames() []string {
	if m.models != nil {
		return m.models
	}
	return slices.DeleteFunc(gridfile.NamesOf(modelTable), func(name string) bool { return name == ERM })
}

func (m *methodInfo) knows(regularizer string) bool {
	return !m.regularized || m.regularizers == nil || slices.Contains(m.regularizers, regularizer)
}

// MethodEntry is a method that a grid names.
type MethodEntry struct {
	gridfile.Entry

	program *outside.Program // without the digests of its files
}

func (e *MethodEntry) method() *methodInfo {
	if e.program == nil {
		return gridfile.Lookup(methodTable, e.Name)
	}
	info, err := commandInfo(e.Name, e.program.WithoutFiles())
	if err != nil {
		panic(err) // the reader has checked it
	}
	return info
}
