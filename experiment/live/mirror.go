package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/results"
)

// mirror is a temporary folder with a run's results at the queue. Outcomes that do not fit their
// kind's tables are left out: the coordinator judges them.
type mirror struct {
	dir    string
	kind   *experiment.Registration
	feed   *queue.Feed
	store  *results.Store
	looked time.Time
}

func (t *Tables) mirrored(ctx context.Context, name string) (dir string, err error) {
	m := t.mirrors[name]
	known := t.monitor != nil && t.monitor.State().named(name) != nil
	if m != nil && known && time.Since(m.looked) < t.kept {
		return m.dir, nil
	}
	purged := false
	if m != nil && known {
		counts, err := t.monitor.config.Queue.Counts(ctx, name)
		if err != nil {
			return "", err
		}
		purged = counts.Done < experiment.CountAll(m.store.Counts())
	}
	if m != nil && (!known || purged) {
		delete(t.mirrors, name)
		if err := errors.Join(m.store.Close(), os.RemoveAll(m.dir)); err != nil {
			return "", err
		}
		m = nil
	}
	if !known {
		return "", fmt.Errorf("there is no run %q; /runs lists them: %w", name, fs.ErrNotExist)
	}
	if m == nil {
		path, err := t.newPath()
		if err != nil {
			return "", err
		}
		if m, err = t.newMirror(ctx, name, path); err != nil {
			return "", err
		}
		t.mirrors[name] = m
	}
	return m.dir, m.update(ctx)
}

func (t *Tables) newMirror(ctx context.Context, name, dir string) (*mirror, error) {
	q := t.monitor.config.Queue
	description, err := run.Describe(ctx, q, name)
	if err != nil {
		return nil, err
	}
	schema := t.monitor.schemas[description.Kind]
	if schema == nil || description.SchemaVersion < experiment.OldestSchema || description.SchemaVersion > experiment.SchemaVersion {
		return nil, fmt.Errorf("run %s is of the kind %q and has tables of schema version %d, which this agepath does not have",
			name, description.Kind, description.SchemaVersion)
	}
	cells, err := run.ReadCells(ctx, q, description)
	if err != nil {
		return nil, err
	}
	m := &mirror{dir: dir, kind: schema.Registration}
	if m.feed, err = q.Feed(name); err != nil {
		return nil, err
	}
	m.feed.Has, m.feed.Whole = cells.Has, true
	m.store, err = results.Open(ctx, dir, results.StoreOptions{Tables: m.kind.Tables(), Run: name})
	return m, err
}

// update adds new results.
func (m *mirror) update(ctx context.Context) error {
	tables := m.kind.Tables()
	for outcome, err := range m.feed.Next(ctx) {
		if errors.As(err, new(*queue.CellError)) {
			continue
		}
		if err != nil {
			return err
		}
		if outcome.Kind != m.kind.Name() || cmp.Or(tables.Reshape(outcome, experiment.SchemaVersion), tables.Fits(outcome)) != nil {
			continue
		}
		if err := m.store.Append(outcome); err != nil {
			return err
		}
	}
	m.looked = time.Now()
	return m.store.Flush()
}
