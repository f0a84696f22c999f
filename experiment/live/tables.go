package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/parquet"
)

const (
	// keptFor is how long a file of a running run stays unchanged, so that a reader of parts gets
	// them from one file.
	keptFor = 5 * time.Second
	// restFactor limits the renewal of files to 1/20 of a core.
	restFactor = 20
	// slowest is the minimum rate of a download, in bytes a second.
	slowest = 64 << 10
	// tablesPrefix begins the names of temporary folders.
	tablesPrefix = "agepath-serve-"
)

var formats = map[string]string{
	"arrow": "application/vnd.apache.arrow.file", "parquet": "application/vnd.apache.parquet",
}

// Tables offers the tables of runs as files, under /runs: a list of runs, per run a list of tables,
// per table TABLE.arrow and TABLE.parquet, with ETag and ranges. During a run they have the rows of
// the last flush, some seconds late.
//
// The Arrow file of an ended run is that of its folder. Others are made on request, one of a folder
// at a time, in a temporary folder, and shared by all readers: at most every 5 s and 1/20 of the time. A
// replaced file is removed, the rest by [Tables.Close] or, after a kill, by the next program that
// serves. A Tables is safe for concurrent use.
type Tables struct {
	folders map[string]string // by run
	mirrors map[string]*mirror
	monitor *Monitor // of a queue, nil for none
	report  func(error)
	kept    time.Duration // keptFor except in tests

	// making has a lock for each folder, by run, so that a disk that does not answer holds up that
	// folder alone. That of "" guards mirrors.
	making map[string]*sync.Mutex

	mu       sync.Mutex // guards what follows
	temp     string     // "" before the first file
	remove   func() error
	made     int
	resume   time.Time // nothing is renewed before
	versions map[tableFile]*version
}

type tableFile struct{ run, table, format string }

// version is the current state of a file.
type version struct {
	path   string
	info   os.FileInfo
	etag   string
	at     time.Time // of its rows
	looked time.Time
	of     string // source
	own    bool   // temporary file
}

// NewTables returns the tables of runs in folders. report receives the errors of making files.
func NewTables(folders map[string]string, report func(error)) *Tables {
	t := &Tables{folders: folders, kept: keptFor, mirrors: map[string]*mirror{}, report: report, versions: map[tableFile]*version{}}
	t.making = map[string]*sync.Mutex{"": {}}
	for run := range folders {
		t.making[run] = new(sync.Mutex)
	}
	return t
}

func (t *Tables) lock(run string) *sync.Mutex { return cmp.Or(t.making[run], t.making[""]) }

// Close removes the temporary files, after the last request.
func (t *Tables) Close() (err error) {
	for _, making := range t.making {
		making.Lock()
		defer making.Unlock()
	}
	for _, m := range t.mirrors {
		err = errors.Join(err, m.store.Close())
	}
	if t.remove != nil {
		err = errors.Join(err, t.remove())
	}
	t.mirrors, t.remove, t.temp = map[string]*mirror{}, nil, ""
	return err
}

// Handler serves only the tables.
func (t *Tables) Handler() http.Handler {
	mux := http.NewServeMux()
	t.addTo(mux)
	mux.Handle("GET /{$}", http.RedirectHandler("/runs", http.StatusFound))
	return guarded(mux)
}

func (t *Tables) addTo(mux *http.ServeMux) {
	mux.HandleFunc("GET /runs", t.serveRuns)
	mux.HandleFunc("GET /runs/{run}", t.serveRun)
	mux.HandleFunc("GET /runs/{run}/{file}", t.serveFile)
}

func (t *Tables) serveRuns(w http.ResponseWriter, _ *http.Request) {
	names := slices.AppendSeq([]string{}, maps.Keys(t.folders))
	if t.monitor != nil {
		for _, run := range t.monitor.State().Runs {
			if t.folders[run.Name] == "" {
				names = append(names, run.Name)
			}
		}
	}
	slices.Sort(names)
	writeJSON(w, struct {
		Runs []string `json:"runs"`
	}{names})
}

func (t *Tables) serveRun(w http.ResponseWriter, r *http.Request) {
	run := r.PathValue("run")
	making := t.lock(run)
	making.Lock()
	_, contents, err := t.look(r.Context(), run)
	making.Unlock()
	if err != nil {
		t.refuse(w, r, err)
		return
	}
	type table struct {
		Name  string   `json:"name"`
		Files []string `json:"files"`
	}
	answer := struct {
		Run    string  `json:"run"`
		Ended  bool    `json:"ended"` // no more rows
		Tables []table `json:"tables"`
	}{run, contents.Ended, []table{}}
	if t.monitor != nil {
		if known := t.monitor.State().named(run); known != nil {
			answer.Ended = known.Phase == Finished || known.Phase == Cancelled
		}
	}
	for _, name := range contents.Tables {
		answer.Tables = append(answer.Tables, table{name, []string{name + ".arrow", name + ".parquet"}})
	}
	writeJSON(w, answer)
}

func (t *Tables) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	switch {
	case r.Context().Err() != nil:
		return // nobody waits
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, queue.ErrNoData):
		status = http.StatusNotFound
	default:
		t.report(fmt.Errorf("serving %s: %w", r.URL.Path, err))
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, err.Error(), status)
}

func (t *Tables) serveFile(w http.ResponseWriter, r *http.Request) {
	file := tableFile{run: r.PathValue("run")}
	file.table, file.format, _ = strings.Cut(r.PathValue("file"), ".")
	if formats[file.format] == "" {
		http.Error(w, fmt.Sprintf("there is no file %q of a run; /runs/%s lists them", r.PathValue("file"), file.run), http.StatusNotFound)
		return
	}
	connection := http.NewResponseController(w)
	_ = errors.Join(connection.SetReadDeadline(time.Time{}), connection.SetWriteDeadline(time.Time{})) // a first file can take long to make
	v, body, err := t.open(r.Context(), file)
	if err != nil {
		_ = connection.SetWriteDeadline(time.Now().Add(stopWait))
		t.refuse(w, r, err)
		return
	}
	defer body.Close()
	_ = connection.SetWriteDeadline(time.Now().Add(stopWait + time.Duration(v.info.Size()/slowest)*time.Second))
	header := w.Header()
	header.Set("Content-Type", formats[file.format])
	header.Set("ETag", v.etag)
	header.Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, "", v.at, body)
}

// open opens the current file. While a file is being renewed, readers get the old one.
func (t *Tables) open(ctx context.Context, file tableFile) (*version, *os.File, error) {
	v, body := t.current(file)
	making := t.lock(file.run)
	switch {
	case v == nil:
		making.Lock()
	case t.isFresh(v) || !making.TryLock():
		return v, body, nil
	default:
		body.Close()
	}
	defer making.Unlock()
	if _, err := t.renew(ctx, file); err != nil {
		return nil, nil, err
	}
	if v, body = t.current(file); v == nil {
		return nil, nil, fmt.Errorf("%s.%s of run %s is being replaced; ask again", file.table, file.format, file.run)
	}
	return v, body, nil
}

// current opens the present version, nil for none. It forgets one whose file the run's folder has
// replaced.
func (t *Tables) current(file tableFile) (*version, *os.File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.versions[file]
	if v == nil {
		return nil, nil
	}
	if body, err := disk.OpenRegular(v.path); err == nil {
		info, err := body.Stat()
		if err == nil && os.SameFile(v.info, info) && v.info.Size() == info.Size() && v.info.ModTime().Equal(info.ModTime()) {
			return v, body
		}
		body.Close()
	}
	delete(t.versions, file)
	return nil, nil
}

// isFresh reports whether a version is too new to be renewed.
func (t *Tables) isFresh(v *version) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(v.looked) < t.kept
}

// renew makes a missing file, or one that has changed and may be renewed.
func (t *Tables) renew(ctx context.Context, file tableFile) (*version, error) {
	start := time.Now()
	t.mu.Lock()
	was, rests := t.versions[file], start.Before(t.resume)
	t.mu.Unlock()
	if was != nil && (rests || t.isFresh(was)) {
		return was, nil
	}
	next, err := t.make(ctx, file, was)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	if was != nil && was != next && was.own {
		_ = os.Remove(was.path) // otherwise with the folder; its readers have it open
	}
	next.looked = time.Now()
	t.versions[file] = next
	if was != nil {
		t.resume = time.Now().Add(restFactor * time.Since(start))
	}
	t.mu.Unlock()
	return next, nil
}

// make returns the current version, possibly was.
func (t *Tables) make(ctx context.Context, file tableFile, was *version) (*version, error) {
	if file.format == "parquet" {
		from, err := t.renew(ctx, tableFile{file.run, file.table, "arrow"})
		if err != nil || was != nil && was.of == from.etag {
			return was, err
		}
		return t.write(from.at, from.etag, func(path string) error {
			file, err := os.Create(path)
			if err != nil {
				return err
			}
			return errors.Join(parquet.Convert(ctx, from.path, file, results.ZSTD), file.Close())
		})
	}
	dir, contents, err := t.look(ctx, file.run)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(contents.Tables, file.table) {
		return nil, fmt.Errorf("run %s has no table %q so far: %w", file.run, file.table, fs.ErrNotExist)
	}
	state := contents.State(file.table)
	if was != nil && was.of == state {
		return was, nil
	}
	if contents.Ended {
		return describeVersion(&version{path: filepath.Join(dir, file.table+".arrow"), of: state})
	}
	return t.write(time.Now(), state, func(path string) error { return results.Snapshot(ctx, dir, file.table, path) })
}

// write makes a temporary file.
func (t *Tables) write(at time.Time, of string, write func(path string) error) (*version, error) {
	path, err := t.newPath()
	if err != nil {
		return nil, err
	}
	v := &version{path: path, at: at, of: of, own: true}
	if err := write(v.path); err != nil {
		return nil, errors.Join(err, disk.RemoveIfThere(disk.OS{}, v.path))
	}
	return describeVersion(v)
}

// newPath makes the temporary folder first, if there is none.
func (t *Tables) newPath() (path string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.temp == "" {
		if t.temp, t.remove, err = disk.TemporaryFolder(tablesPrefix); err != nil {
			return "", fmt.Errorf("a folder for the files that are served: %w", err)
		}
	}
	t.made++
	return filepath.Join(t.temp, fmt.Sprintf("%06d", t.made)), nil
}

// describeVersion fills in digest and times.
func describeVersion(v *version) (*version, error) {
	digest, err := disk.Digest(v.path)
	if err == nil {
		v.info, err = os.Stat(v.path)
	}
	if err != nil {
		return nil, err
	}
	if v.at.IsZero() {
		v.at = v.info.ModTime()
	}
	v.etag = `"` + digest[:32] + `"`
	return v, nil
}

// look returns the folder of a run and its contents.
func (t *Tables) look(ctx context.Context, run string) (dir string, contents *results.Contents, err error) {
	dir = t.folders[run]
	if dir == "" {
		if dir, err = t.mirrored(ctx, run); err != nil {
			return "", nil, err
		}
	}
	contents, err = results.Look(dir)
	return dir, contents, err
}
