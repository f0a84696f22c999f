package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// Description is what the queue keeps of a run beside its data sets, tasks and
// results.
type Description struct {
	results.Manifest
	Parts []experiment.Part `json:"parts,omitempty"` // none when an older version submitted the run
}

// Describe reads the description of a run. The error is [queue.ErrNoData] when
// the server has none.
func Describe(ctx context.Context, q *queue.Queue, run string) (*Description, error) {
	body, err := q.Data(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("looking for run %s: %w", run, err)
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("reading the description of run %s: %w", run, err)
	}
	d := new(Description)
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("reading the description of run %s: %w", run, err)
	}
	return d, nil
}
