package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/cache"
	"github.com/agepath/agepath/results"
)

// Reuse says where outcomes of other runs are, which take the place of computing their
// cells. They are those of computed cells with the same identity that have the tables
// that the grid keeps.
type Reuse struct {
	Dirs  []string     // folders of results
	Cache *cache.Cache // what is computed goes there too; nil for none
	Alone bool         // no outcome of another run at the server is taken
	// Report is told, by Submit, of outcomes that are left out. Default: nothing is told.
	Report func(error)
}

// mostHeld bounds the outcomes that wait for their labels, in bytes.
const mostHeld = 256 << 20

// taker takes outcomes of other runs for cells of a plan, as if this run had computed
// them.
type taker struct {
	gate   *gate
	retry  again // cells that are computed again
	wants  func(cell string) bool
	take   func(*experiment.Outcome) error
	report func(error)

	held      map[cellKey]*experiment.Outcome // that have the labels of another plan
	heldBytes int                             // about
}

// offer takes an outcome, unless the plan does not have it or want it, or it does not pass.
func (t *taker) offer(o *experiment.Outcome) (taken bool, err error) {
	key, ok := keyOf(o.Cell)
	if _, twice := t.held[key]; !ok || twice || !t.gate.plans(o.Cell) || !o.Status.Computed() || t.retry.wants(o.Status, o.Short) || !t.wants(o.Cell) {
		return false, nil
	}
	own := *o
	own.Origin, own.Run = cmp.Or(o.Origin, o.Run), t.gate.plan.Run
	own.Further = map[string]experiment.Batch{}
	for _, table := range t.gate.kept {
		rows, ok := o.Further[table]
		if !ok {
			return false, nil
		}
		own.Further[table] = rows
	}
	switch err := t.gate.check(&own); {
	case errors.As(err, new(*labelsError)):
		if t.held == nil {
			t.held = map[cellKey]*experiment.Outcome{}
		}
		t.held[key] = &own
		if t.heldBytes += bytesOf(&own); t.heldBytes >= mostHeld {
			return true, t.settle()
		}
		return true, nil
	case err != nil:
		t.report(fmt.Errorf("an outcome of run %s is left out: cell %s: %w", own.Origin, o.Cell, err))
		return false, nil
	}
	return true, t.take(&own)
}

// settle takes the outcomes that wait for the labels of this plan.
func (t *taker) settle() error {
	if len(t.held) == 0 {
		return nil
	}
	t.heldBytes = 0
	for task, err := range t.gate.plan.Tasks(false) {
		if err != nil {
			return err
		}
		key, _ := keyOf(task.Cell)
		o := t.held[key]
		if o == nil {
			continue
		}
		delete(t.held, key)
		o.Labels = task.Labels
		if err := t.gate.check(o); err != nil {
			t.report(fmt.Errorf("an outcome of run %s is left out: cell %s: %w", o.Origin, o.Cell, err))
		} else if err := t.take(o); err != nil {
			return err
		}
	}
	return nil
}

// bytesOf estimates the memory of an outcome.
func bytesOf(o *experiment.Outcome) int {
	n := 8 << 10 // labels and measures, a column each
	for _, rows := range o.Further {
		for _, v := range rows.Columns {
			n += 8*(len(v.Ints)+len(v.Floats)) + 32*len(v.Texts)
			for _, list := range v.Lists {
				n += 24 + 8*len(list)
			}
		}
	}
	return n
}

// from takes what folders and the cache have of the cells that are wanted.
func (t *taker) from(ctx context.Context, r Reuse) error {
	tables := t.gate.tables
	for _, dir := range r.Dirs {
		err := results.EachOutcome(ctx, dir, t.gate.plan.Kind, tables, t.gate.kept, t.wants, func(o *experiment.Outcome) error {
			_, err := t.offer(o)
			return err
		})
		if err == nil {
			err = t.settle()
		}
		if err != nil {
			return &StartError{fmt.Errorf("taking results of %s: %w", dir, err)}
		}
	}
	if r.Cache == nil {
		return nil
	}
	if err := r.Cache.Each(ctx, t.missing(), t.offer); err != nil {
		return err
	}
	return t.settle()
}

// missing yields the cells of the plan that are wanted.
func (t *taker) missing() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, cell := range t.gate.cells {
			if name := cell.key.String(); t.wants(name) && !yield(name) {
				return
			}
		}
	}
}

// reuse gathers outcomes of other runs for missing cells.
func (g *gatherer) reuse(ctx context.Context, r Reuse) error {
	if g.missing == 0 {
		return nil
	}
	t := &taker{gate: g.gate, retry: g.retry, wants: g.lacks, take: g.takeReused, report: g.report}
	if err := t.from(ctx, r); err != nil {
		return errors.Join(err, g.store.Flush())
	}
	return g.store.Flush()
}

// takeReused stores an outcome of another run of a missing cell.
func (g *gatherer) takeReused(o *experiment.Outcome) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.misses(o.Cell) {
		return nil
	}
	if err := g.store.Append(o); err != nil {
		return err
	}
	g.missing--
	g.adopted++
	return nil
}

// keeper keeps what this run computes in the cache, which may be nil.
type keeper struct {
	cache  *cache.Cache
	remote bool // by other programs, too
}

// add keeps an outcome that this run computed. What other programs compute is kept where
// their version says what it is.
func (k keeper) add(o *experiment.Outcome) {
	if k.cache != nil && o.Origin == "" && (!k.remote || cache.Committed(o.Version)) {
		k.cache.Add(o)
	}
}

func (k keeper) flush() {
	if k.cache != nil {
		k.cache.Flush()
	}
}
