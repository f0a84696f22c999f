package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// keyOf returns false for names other than 32 lower-case hex digits.
func keyOf(cell string) (key results.CellKey, ok bool) {
	key, err := results.ParseCell(cell)
	return key, err == nil
}

type cellSet map[results.CellKey]struct{}

func (s cellSet) add(cell string) {
	if key, ok := keyOf(cell); ok {
		s[key] = struct{}{}
	}
}

func (s cellSet) has(cell string) bool {
	key, ok := keyOf(cell)
	if ok {
		_, ok = s[key]
	}
	return ok
}

// Cells are the cells of a run's plan.
type Cells struct {
	keys []byte
}

// Place returns the index of a cell; ok is false for other cells.
func (c *Cells) Place(cell string) (place int, ok bool) {
	key, ok := keyOf(cell)
	if !ok {
		return 0, false
	}
	return sort.Find(len(c.keys)/len(key), func(i int) int { return bytes.Compare(key[:], c.keys[i*len(key):][:len(key)]) })
}

// Has reports whether the plan has a cell.
func (c *Cells) Has(cell string) bool {
	_, ok := c.Place(cell)
	return ok
}

// ReadCells reads the list of a run's cells. The error is [queue.ErrNoData] if there is none, a
// [*queue.DamagedError] if it is not as stored.
func ReadCells(ctx context.Context, q *queue.Queue, d *Description) (*Cells, error) {
	name, size := queue.CellsOf(d.Run), d.Cells*int64(len(results.CellKey{}))
	body, err := q.Data(ctx, name)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	keys, err := io.ReadAll(io.LimitReader(body, size+1))
	if err == nil && int64(len(keys)) != size {
		err = &queue.DamagedError{Object: name, Err: fmt.Errorf("it does not have %d bytes", size)}
	}
	return &Cells{keys}, err
}

func putCells(ctx context.Context, q *queue.Queue, gate *gate) error {
	keys := make([]byte, 0, len(gate.cells)*len(results.CellKey{}))
	for _, cell := range gate.cells {
		keys = append(keys, cell.key[:]...)
	}
	have, err := ReadCells(ctx, q, &Description{Manifest: results.Manifest{Run: gate.plan.Run, Cells: int64(len(gate.cells))}})
	switch {
	case err == nil && bytes.Equal(have.keys, keys):
		return nil
	case err != nil && !errors.Is(err, queue.ErrNoData) && !errors.As(err, new(*queue.DamagedError)):
		return err
	}
	return q.PutData(ctx, queue.CellsOf(gate.plan.Run), bytes.NewReader(keys))
}
