package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/results"
)

// Description is what the queue keeps of a run apart from its data sets, tasks and results.
type Description struct {
	results.Manifest
	Parts []experiment.Part `json:"parts,omitempty"`
	Needs []experiment.Need `json:"needs,omitempty"` // of workers
}

const (
	// maxDescription bounds a description in bytes, mostParts its parts, mostCells cells.
	maxDescription = 64 << 20
	mostParts      = 1 << 20
	mostCells      = 1 << 40
)

// Describe reads the description of a run. The error is [queue.ErrNoData] if there is none, a
// [*queue.DamagedError] if it is invalid.
func Describe(ctx context.Context, q *queue.Queue, run string) (*Description, error) {
	d, _, err := readDescription(ctx, q, run)
	return d, err
}

// replacing is how long a description may take to be replaced; readers can get parts of both.
const replacing = 200 * time.Millisecond

func readDescription(ctx context.Context, q *queue.Queue, run string) (d *Description, text []byte, err error) {
	if d, text, err = readDescriptionOnce(ctx, q, run); errors.As(err, new(*queue.DamagedError)) && queue.Sleep(ctx, replacing) == nil {
		d, text, err = readDescriptionOnce(ctx, q, run)
	}
	return d, text, err
}

func readDescriptionOnce(ctx context.Context, q *queue.Queue, run string) (*Description, []byte, error) {
	text, err := q.ReadData(ctx, run, maxDescription)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the description of run %s: %w", run, err)
	}
	d := new(Description)
	if len(text) > maxDescription {
		err = fmt.Errorf("it has more than %d bytes", maxDescription)
	} else if err = json.Unmarshal(text, d); err == nil {
		err = d.check(run)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the description of run %s: %w", run, &queue.DamagedError{Object: run, Err: err})
	}
	return d, text, nil
}

// current returns a [*StartError] unless outcomes fit the tables of this version.
func (d *Description) current() error {
	if d.SchemaVersion >= experiment.OldestSchema && d.SchemaVersion <= experiment.SchemaVersion {
		return nil
	}
	return &StartError{fmt.Errorf("run %s was submitted by an agepath with tables of schema version %d, and this one reads versions %d to %d; collect it with that agepath, then remove it by `coordinator purge %[1]s --uncollected` and submit the grid again",
		d.Run, d.SchemaVersion, experiment.OldestSchema, experiment.SchemaVersion)}
}

// check rejects what putRun does not write.
func (d *Description) check(run string) error {
	switch {
	case d.Run != run:
		return fmt.Errorf("it is of run %.140q", d.Run)
	case d.Cells < 0 || d.Cells > mostCells:
		return fmt.Errorf("it says %d cells", d.Cells)
	case len(d.Parts) > mostParts:
		return fmt.Errorf("it has %d parts; allowed are %d", len(d.Parts), mostParts)
	}
	for _, digest := range d.Data {
		if err := queue.ValidName(digest); err != nil {
			return fmt.Errorf("data set: digest %w", err)
		}
	}
	for _, digest := range d.Files {
		if err := queue.ValidName(digest); err != nil {
			return fmt.Errorf("file of a command: digest %w", err)
		}
	}
	for _, part := range d.Parts {
		if part.Cells < 0 || part.Cells > mostCells || !(part.Seconds >= 0 && part.Seconds < math.MaxFloat32) {
			return fmt.Errorf("a part says %d cells and %g seconds", part.Cells, part.Seconds)
		}
	}
	return nil
}

// Missing is a need of cells of a run that no worker meets.
type Missing struct {
	experiment.Need
	Text string
}

func missing(need experiment.Need, able []experiment.Need) Missing {
	if need.Name == experiment.CommandNeed && !slices.ContainsFunc(able, func(n experiment.Need) bool { return n.Name == need.Name }) {
		return Missing{need, "no worker runs commands; start one with --allow-commands"}
	}
	return Missing{need, fmt.Sprintf("no worker for %v", need)}
}

// Unable lists the needs of remaining cells that no present worker meets, or that all who meet them
// lack something for. commands says that such cells bring a command.
func (d *Description) Unable(workers []queue.Presence, commands bool, now time.Time) (lacks []Missing) {
	needs := d.Needs
	if !commands {
		needs = slices.DeleteFunc(slices.Clone(needs), func(n experiment.Need) bool { return n.Name == experiment.CommandNeed })
	}
	var able, lacking []experiment.Need
	there, fit := 0, false
	for i := range workers {
		if state := workers[i].StateAt(now); state == queue.Gone || state == queue.Lost {
			continue
		}
		there++
		able = append(able, workers[i].Computes...)
		if slices.ContainsFunc(needs, func(n experiment.Need) bool { return !slices.Contains(workers[i].Computes, n) }) {
			continue
		}
		has := true
		for _, lack := range workers[i].Lacks {
			if lack.Run == d.Run {
				has, lacking = false, append(lacking, experiment.Need{Name: lack.What})
			}
		}
		fit = fit || has
	}
	if there == 0 {
		return []Missing{{Text: "no worker"}}
	}
	for _, need := range needs {
		if !slices.Contains(able, need) {
			lacks = append(lacks, missing(need, able))
		}
	}
	if !fit {
		for _, need := range lacking {
			if m := missing(need, nil); !slices.Contains(lacks, m) {
				lacks = append(lacks, m)
			}
		}
	}
	return lacks
}
