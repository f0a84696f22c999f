package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

const (
	// mostAgain is how often a cell is queued again after a rejected result before it fails.
	mostAgain = 5
	nameBytes = 1 << 10 // bounds the runner's own texts but errors
	// clockBack is how far a worker's clock may go back during a cell.
	clockBack    = 24 * time.Hour
	mostAttempts = 1 << 20
)

// gate decides which outcomes a run takes: those of its cells, with their labels, that fit the
// tables. Nothing else in a message is trusted. It takes 32 bytes a cell.
type gate struct {
	plan   *experiment.Plan
	tables experiment.Tables
	kept   []string // further tables of each computed cell
	seed   maphash.Seed
	cells  []plannedCell // by key

	mu    sync.Mutex
	again map[results.CellKey]int
}

type plannedCell struct {
	key    results.CellKey
	labels uint64
	cost   float32 // estimated seconds
	first  bool    // of the first repeat
}

// newGate takes some microseconds a cell.
func newGate(ctx context.Context, plan *experiment.Plan) (*gate, error) {
	tables := plan.Tables()
	g := &gate{
		plan: plan, tables: tables, kept: plan.Keep.Tables(), seed: maphash.MakeSeed(), again: map[results.CellKey]int{},
		cells: make([]plannedCell, 0, plan.Count()),
	}
	var labels experiment.Batch
	for cell, seconds := range plan.Cells() {
		labels.Clear()
		if err := cmp.Or(ctx.Err(), cell.Label(&labels)); err != nil {
			return nil, fmt.Errorf("listing the cells of run %s: %w", plan.Run, err)
		}
		key, _ := keyOf(experiment.Identity(cell.Canonical()))
		g.cells = append(g.cells, plannedCell{key, g.hash(&labels), float32(seconds), tables.Repeat(&labels) == 1})
	}
	slices.SortFunc(g.cells, func(a, b plannedCell) int { return a.key.Compare(b.key) })
	return g, nil
}

func (g *gate) find(cell string) (plannedCell, bool) {
	key, ok := keyOf(cell)
	if !ok {
		return plannedCell{}, false
	}
	at, ok := slices.BinarySearchFunc(g.cells, key, func(c plannedCell, key results.CellKey) int { return c.key.Compare(key) })
	if !ok {
		return plannedCell{}, false
	}
	return g.cells[at], true
}

func (g *gate) plans(cell string) bool {
	_, ok := g.find(cell)
	return ok
}

// errUnread says that a worker could not read a task; queuing the cell again mends that.
var errUnread = errors.New("the worker could not decode the task")

// labelsError says that an outcome has labels of another plan, such as another name of a data set,
// or of another version.
type labelsError struct{ error }

var errLabels = &labelsError{errors.New("its labels are not those of the cell in the plan")}

// check returns why an outcome is rejected. It is safe for concurrent use.
func (g *gate) check(o *experiment.Outcome) error { //nolint:gocyclo // a list of conditions
	cell, ok := g.find(o.Cell)
	switch {
	case o.Run != g.plan.Run:
		return fmt.Errorf("it is of run %.140q", o.Run)
	case !ok:
		return fmt.Errorf("run %s has no cell %.140q", g.plan.Run, o.Cell)
	case o.Attempts < 0 || o.Attempts > mostAttempts:
		return fmt.Errorf("attempts: %d; allowed are 0 to %d", o.Attempts, mostAttempts)
	case !duration(o.Wall) || o.CPU != nil && !duration(*o.CPU) || o.Peak != nil && *o.Peak < 0:
		return errors.New("wall time, processor time or peak memory is not a finite number >= 0")
	case o.Finished.Before(o.Started.Add(-clockBack)):
		return fmt.Errorf("it finished at %v, before it started at %v", o.Finished, o.Started)
	case o.Origin != "" && queue.ValidName(o.Origin) != nil:
		return fmt.Errorf("it says that the run %.140q computed it", o.Origin)
	case !(o.Short >= 0 && o.Short <= math.MaxFloat64):
		return errors.New("short_of is not a finite number >= 0")
	}
	if err := cmp.Or(g.shortTexts(o), g.tables.Reshape(o, experiment.SchemaVersion), g.tables.FitsRows(o)); err != nil {
		return err
	}
	if o.Status == experiment.Failed && o.Labels.Rows == 0 && len(o.Labels.Columns) == 0 {
		if g.spent(cell.key) {
			return nil
		}
		return fmt.Errorf("%w: %.1000s", errUnread, o.Error)
	}
	if o.Kind != g.plan.Kind {
		return fmt.Errorf("it is of the kind %.140q, not %s", o.Kind, g.plan.Kind)
	}
	if err := g.tables.FitsLabels(&o.Labels); err != nil {
		return &labelsError{err}
	}
	if g.hash(&o.Labels) != cell.labels {
		return errLabels
	}
	if !o.Status.Computed() {
		return nil
	}
	for _, name := range g.kept {
		if _, ok := o.Further[name]; !ok {
			return fmt.Errorf("it has no table %s, though its status is %s", name, o.Status)
		}
	}
	if err := g.tables.Finite(&o.Measures, o.Further); err != nil || g.tables.Consistent == nil {
		return err
	}
	return g.tables.Consistent(o)
}

// shortTexts checks the lengths of the runner's own texts.
func (g *gate) shortTexts(o *experiment.Outcome) error {
	for _, column := range slices.Concat(experiment.CellsHead, experiment.CellsMiddle, experiment.CellsTail) {
		most := nameBytes
		if column.Name == "error" {
			most = experiment.MostText
		}
		if text, _ := column.Value(o, &g.tables).(string); len(text) > most {
			return fmt.Errorf("its %s has %d bytes; allowed are %d", column.Name, len(text), most)
		}
	}
	return nil
}

func duration(seconds float64) bool { return seconds >= 0 && seconds <= math.MaxFloat32 }

func (g *gate) spent(key results.CellKey) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.again[key] >= mostAgain
}

func (g *gate) noteAgain(cell string) {
	if key, ok := keyOf(cell); ok {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.again[key]++
	}
}

func (g *gate) hash(labels *experiment.Batch) uint64 {
	var h maphash.Hash
	h.SetSeed(g.seed)
	for j, column := range g.tables.Labels {
		value := labels.At(column, j, 0)
		switch x := value.(type) {
		case nil:
			value = false // which no label is
		case float64:
			value = math.Float64bits(x) // all NaNs are different
		}
		maphash.WriteComparable(&h, value)
	}
	return h.Sum64()
}
