package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/report"
)

const (
	// mostCompared bounds the cells of the runs that the page compares, together. Their
	// rows take about a kilobyte each while they are compared.
	mostCompared = 100_000
	// comparedFor is how long a comparison is shown before it is made anew, and
	// compareWait how long making it may take.
	comparedFor = 30 * time.Second
	compareWait = 10 * time.Minute
)

// A side is a run that can be compared: one of the server, or a folder that the page
// was given.
type side struct {
	ID    string `json:"id"` // what a request names it by
	Name  string `json:"name"`
	Cells int64  `json:"cells"` // that have ended, 0 where that is not known

	run    *Run   // of the server, nil for a folder
	folder string // "" for a run
}

// sides lists what can be compared.
func (m *Monitor) sides() []side {
	list := []side{}
	for i, dir := range m.config.Results {
		s := side{ID: fmt.Sprintf("folder:%d", i+1), Name: dir, folder: dir}
		if manifest, err := results.ReadManifest(dir); err == nil {
			s.Cells = manifest.Cells
		}
		list = append(list, s)
	}
	for _, r := range m.State().Runs {
		list = append(list, side{ID: "run:" + r.Name, Name: "run " + r.Name, Cells: r.ended(), run: r})
	}
	return list
}

// comparisons makes one comparison at a time and keeps the newest.
type comparisons struct {
	mu     sync.Mutex // guards what follows
	newest *comparison
	ended  bool // no new one may begin
}

// comparison is being made, or was.
type comparison struct {
	ids    []string
	cancel context.CancelFunc
	done   chan struct{} // closed when body or err is there
	body   json.RawMessage
	err    error
	at     time.Time // when it was done

	mu   sync.Mutex // guards step
	step string
}

func (c *comparison) tell(step analysis.Step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step = fmt.Sprintf("%s, %d of %d", step.What, step.At, step.Of)
}

// isDone reports whether the comparison was made.
func (c *comparison) isDone() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// errBusy says that another comparison is being made.
var errBusy = errors.New("another comparison is being made")

// of returns the comparison of sides, which begins where there is none, or errBusy.
func (c *comparisons) of(m *Monitor, sides []side) (*comparison, error) {
	var ids []string
	for _, s := range sides {
		ids = append(ids, s.ID)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, errBusy
	}
	if old := c.newest; old != nil {
		same, done := slices.Equal(old.ids, ids), old.isDone()
		switch {
		case same && (!done || time.Since(old.at) < comparedFor):
			return old, nil
		case !done:
			return nil, errBusy
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), compareWait)
	made := &comparison{ids: ids, cancel: cancel, done: make(chan struct{}), step: "reading the runs"}
	c.newest = made
	go func() { // ends with ctx, which end cancels
		defer close(made.done)
		defer cancel()
		made.body, made.err = m.compare(ctx, sides, made.tell)
		made.at = time.Now()
	}()
	return made, nil
}

// end ends what is being made.
func (c *comparisons) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	if c.newest != nil {
		c.newest.cancel()
		<-c.newest.done
	}
}

// compare returns the object of docs/schemas/compare.json. Runs of the server are
// written to a folder of their own for the time.
func (m *Monitor) compare(ctx context.Context, sides []side, tell func(analysis.Step)) (body []byte, err error) {
	temporary, remove, err := disk.TemporaryFolder("agepath-compare-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the runs to compare: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	dirs := make([]string, len(sides))
	notes := make([]string, len(sides))
	for i, s := range sides {
		if dirs[i] = s.folder; s.run == nil {
			continue
		}
		dirs[i] = filepath.Join(temporary, fmt.Sprint(i))
		tell(analysis.Step{What: "reading the runs", At: i + 1, Of: len(sides)})
		left, err := m.store(ctx, s.run.Name, dirs[i])
		if err != nil {
			return nil, plainly(err, dirs, sides)
		}
		if left > 0 {
			notes[i] = fmt.Sprintf("%d results of %s cannot be read here and are left out; "+
				"the folders of `coordinator collect` have them.", left, s.Name)
		}
	}
	c, err := report.Compare(ctx, dirs, analysis.CompareOptions{Rounding: analysis.Rounding, Progress: tell})
	if err != nil {
		return nil, plainly(err, dirs, sides)
	}
	for i, s := range sides {
		c.Runs[i].Dir = s.Name
		if s.run != nil {
			c.Runs[i].Run, c.Runs[i].Partial = s.run.Name, s.run.Phase != Finished
		}
		for k, pair := range c.Pairs {
			if notes[i] != "" && (i == 0 || i == k+1) {
				pair.Notes = append(pair.Notes, notes[i])
			}
		}
	}
	return json.Marshal(c)
}

// plainly puts the names of runs in place of their folders.
func plainly(err error, dirs []string, sides []side) error {
	text := err.Error()
	for i, s := range sides {
		if dirs[i] != "" {
			text = strings.ReplaceAll(text, dirs[i], s.Name)
		}
	}
	return errors.New(text)
}

// store writes what the server has of a run to a folder, without further tables, and
// returns how many results it leaves out.
func (m *Monitor) store(ctx context.Context, name, dir string) (left int, err error) {
	feed, err := m.config.Queue.Feed(name)
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(m.config.Kinds, func(k *experiment.Registration) bool { return k.Name() == m.kindOf(name) })
	if i < 0 {
		return 0, fmt.Errorf("run %s has no results that can be compared", name)
	}
	kind := m.config.Kinds[i]
	tables := kind.Tables()
	store, err := results.Open(ctx, dir, results.StoreOptions{Tables: tables, Run: name, Kept: []string{}})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for stored, err := range feed.Next(ctx) {
		if unreadable := new(queue.CellError); errors.As(err, &unreadable) {
			left++
			continue
		}
		if err != nil {
			return left, err
		}
		_, odd := results.ParseCell(stored.Cell)
		if stored.Kind != kind.Name() || odd != nil || tables.Fits(stored.Outcome) != nil {
			left++
			continue
		}
		if err := store.Adopt(stored.Outcome); err != nil {
			return left, err
		}
	}
	return left, nil
}

// kindOf returns the kind of the cells of a run that have ended, "" while none has.
func (m *Monitor) kindOf(name string) string {
	if run := m.State().named(name); run != nil && len(run.Scores.Groups) > 0 {
		return run.Scores.Groups[0].kind
	}
	return ""
}

// serveSides answers with what can be compared.
func (m *Monitor) serveSides(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, struct {
		Version string `json:"version"`
		Sides   []side `json:"sides"`
	}{m.config.Version, m.sides()})
}

// serveComparison answers with the comparison of the runs that ?with=ID, several times,
// names, the baseline first: made, being made or failed.
func (m *Monitor) serveComparison(w http.ResponseWriter, r *http.Request) {
	wanted := r.URL.Query()["with"]
	var sides []side
	var cells int64
	all := m.sides()
	for _, id := range wanted {
		i := slices.IndexFunc(all, func(s side) bool { return s.ID == id })
		if i < 0 {
			http.Error(w, "there is no such run or folder", http.StatusNotFound)
			return
		}
		sides = append(sides, all[i])
		cells += all[i].Cells
	}
	if len(sides) < 2 || len(sides) > report.MaxRuns {
		http.Error(w, fmt.Sprintf("%d runs are given; 2 to %d can be compared", len(sides), report.MaxRuns), http.StatusBadRequest)
		return
	}
	answer := struct {
		State      string          `json:"state"` // done, making, busy or failed
		Step       string          `json:"step"`
		Error      string          `json:"error"`
		Comparison json.RawMessage `json:"comparison"` // as docs/schemas/compare.json has it, null unless done
	}{State: "failed"}
	made, err := (*comparison)(nil), error(nil)
	if cells > mostCompared {
		err = fmt.Errorf("the runs have %d cells; up to %d are compared here, more by `coordinator compare`",
			cells, mostCompared)
	} else {
		made, err = m.comparisons.of(m, sides)
	}
	switch {
	case errors.Is(err, errBusy):
		answer.State, answer.Step = "busy", err.Error()
	case err != nil:
		answer.Error = err.Error()
	case !made.isDone():
		made.mu.Lock()
		answer.State, answer.Step = "making", made.step
		made.mu.Unlock()
	case made.err != nil:
		answer.Error = made.err.Error()
	default:
		answer.State, answer.Comparison = "done", made.body
	}
	writeJSON(w, answer)
}
