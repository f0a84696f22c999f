package selfpaced

import (
	"context"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/outside"
)

// Names of the methods.
const (
	Original   = "original"    // the fit with all weights 1
	ACS        = "acs"         // alternate convex search at ages with a fixed step
	ACSOnce    = "acs-once"    // one alternation at each of these ages, as in the paper's scripts
	ACSShare   = "acs-share"   // alternate convex search at ages by which growing shares of the samples are in
	MOSPL      = "mospl"       // multi-objective self-paced learning: a front in place of a path
	GAGA       = "gaga"        // the whole age path with its critical points
	HuberLasso = "huber-lasso" // the Lasso's penalty with Huber's loss
	SparseLTS  = "sparse-lts"  // the Lasso of the samples that fit best, least trimmed squares
	RLSSVM     = "rlssvm"      // the least squares machine, trimmed and weighted
	ReLSSVM    = "relssvm"     // the least squares machine with a truncated loss
	RobustSVM  = "robust-svm"  // the support vector machine, corrected for label flips
	Constant   = "constant"    // the median and the mean of the training targets, or the class of most training rows
)

// Method is a method with the settings it uses. What it ignores is zero, so
// that two methods that compute the same are equal. Its JSON is part of the
// canonical form of a cell.
type Method struct {
	Name        string            `json:"name"`
	Algorithm   int               `json:"algorithm"` // version of the method's numbers
	Regularizer Regularizer       `json:"regularizer,omitzero"`
	Age         Age               `json:"age,omitzero"`
	Settings    gridfile.Settings `json:"settings,omitzero"` // the method's own
	Command     string            `json:"command,omitempty"` // of a method from outside: its [outside.Program] in canonical form
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
	Step float64 `json:"step,omitempty"` // distance between given ages of alternate convex search, 0 for methods that choose their own
	Auto int     `json:"auto,omitempty"` // version of the derivation, [autoAge] or that of the method; 0 for a given range
}

// words says in results how the range came about, "" for methods without ages.
func (a Age) words() string {
	switch {
	case a == Age{}:
		return ""
	case a.Auto != 0:
		return autoWord
	}
	return "given"
}

// methodInfo says what a method uses of a grid, and how it is computed. Adding
// a method is a value of this type, in a file of its own, and its place in
// methodTable.
type methodInfo struct {
	name      string
	command   string // of a method from outside, see [Method]
	algorithm int    // raise it when a change of the code changes the method's numbers

	regularized  bool     // one cell per regularizer, else one in all
	regularizers []string // those it knows, where it is regularized; nil: all
	knowsOnly    string   // why it knows only those, for the message that refuses others
	aged         bool     // depends on age.min and age.max
	stepped      bool     // depends on age.acs_step
	auto         int      // version of the ages that it derives; 0: autoAge

	// everywhere says that it is computed once for all models of a data set, whether the grid
	// lists it or not. Names of runs leave it out.
	everywhere bool

	models   []string // those it is for; nil: all but erm
	ownModel bool     // ignores the model's parameters: one cell for all their values
	settings []gridfile.SettingInfo

	// fit computes the knots and how their path ended. The problem is that of
	// the cell's model and regularizer, with what the method ignores left at zero.
	fit func(ctx context.Context, f *Fitted, c *Cell, train *dataset.Part) error
	// work estimates the nanoseconds of a cell's fit, see estimate; bytes the
	// memory on top of data and kernel matrices, for n rows of d features (nil:
	// none worth counting).
	work  func(g *group, n, d float64) float64
	bytes func(c *Cell, n, d int64) int64
}

func (m *methodInfo) need() experiment.Need {
	method := Method{Name: m.name, Algorithm: m.algorithm, Command: m.command}
	return method.need()
}

func (m *methodInfo) Declaration() (string, []gridfile.SettingInfo) { return m.name, m.settings }

// methodTable holds the methods in the order messages and documents show them.
var methodTable = []*methodInfo{
	&originalMethod, &acsMethod, &mosplMethod, &gagaMethod, &huberMethod, &sparseLTSMethod, &rlssvmMethod, &relssvmMethod, &robustMethod,
	&acsOnceMethod, &acsShareMethod, &constantMethod,
}

// with returns the method with what it uses of a regularizer, ages and
// settings.
func (m *methodInfo) with(r Regularizer, age Age, settings gridfile.Settings) Method {
	method := Method{Name: m.name, Algorithm: m.algorithm, Settings: settings, Command: m.command}
	if m.regularized {
		method.Regularizer = r
	}
	method.Age = m.ages(age)
	return method
}

// ages returns what the method uses of ages.
func (m *methodInfo) ages(age Age) Age {
	if !m.aged {
		age.Min, age.Max, age.Auto = 0, 0, 0
	}
	if !m.stepped {
		age.Step = 0
	}
	if age.Auto != 0 && m.auto != 0 {
		age.Auto = m.auto
	}
	return age
}

// of returns the models that the method makes cells of: without what it ignores.
func (m *methodInfo) of(models *Models) *Models {
	if !m.ownModel {
		return models
	}
	used := *models
	used.Choices, used.Kernel, used.Intercept = nil, "", false
	return &used
}

func (m *methodInfo) fits(model string) bool { return slices.Contains(m.modelNames(), model) }

func (m *methodInfo) modelNames() []string {
	if m.models != nil {
		return m.models
	}
	return slices.DeleteFunc(gridfile.NamesOf(modelTable), func(name string) bool { return name == ERM })
}

func (m *methodInfo) knows(regularizer string) bool {
	return !m.regularized || m.regularizers == nil || slices.Contains(m.regularizers, regularizer)
}

// The aspects of a cell that settings of methods depend on.
const (
	aspectTask        = "task"
	aspectRegularizer = "regularizer"
)

func cellAspects(task dataset.Task, regularizer string) gridfile.Aspects {
	return gridfile.Aspects{aspectTask: string(task), aspectRegularizer: regularizer}
}

func withRegularizers(names ...string) gridfile.Scope {
	return gridfile.Scope{Aspect: aspectRegularizer, Names: names, Words: "with the regularizers " + strings.Join(names, ", ")}
}

// MethodEntry is a method that a grid names.
type MethodEntry struct {
	gridfile.Entry

	program *outside.Program // of a method from outside, without the digests of its files
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
