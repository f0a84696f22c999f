package live

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/testing/chromium"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// going is a run that goes on in a folder.
type going struct {
	t     testing.TB
	dir   string
	store *results.Store
	next  int
}

func newGoing(t testing.TB) *going {
	t.Helper()
	g := &going{t: t, dir: t.TempDir()}
	var err error
	if g.store, err = results.Open(t.Context(), g.dir, results.StoreOptions{Tables: toyTables, Run: "toy-run"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.store.Close() })
	return g
}

// add computes n cells, with two doses each, and makes them durable.
func (g *going) add(n int) {
	g.t.Helper()
	for range n {
		now := time.Now().UTC()
		o := &experiment.Outcome{Run: "toy-run", Cell: fmt.Sprintf("%032x", g.next), Kind: "toy", Status: experiment.OK, Attempts: 1, Wall: float64(g.next), Started: now, Finished: now}
		if err := o.Labels.Append(toyLabels, "diabetes", "toy", "gaga", 0.1, g.next); err != nil {
			g.t.Fatal(err)
		}
		computed(g.t, o, float64(g.next))
		if err := g.store.Append(o); err != nil {
			g.t.Fatal(err)
		}
		g.next++
	}
	if err := g.store.Flush(); err != nil {
		g.t.Fatal(err)
	}
}

// order yields the cells so far.
func (g *going) order(yield func(string) bool) {
	for i := 0; i < g.next && yield(fmt.Sprintf("%032x", i)); i++ {
	}
}

// tables serves the run.
func (g *going) tables() (*Tables, *httptest.Server) {
	t := NewTables(map[string]string{"toy-run": g.dir}, func(err error) { g.t.Error(err) })
	server := httptest.NewServer(t.Handler())
	g.t.Cleanup(func() {
		server.Close()
		if err := t.Close(); err != nil {
			g.t.Error(err)
		}
	})
	return t, server
}

// ask answers a request with headers, in pairs.
func ask(t testing.TB, method, url string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, body
}

// frame reads a table from an answer.
func frame(t testing.TB, body []byte) *results.Frame {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.arrow")
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := results.ReadTable(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wantCells wants a frame of the cells from 0 to n.
func wantCells(t testing.TB, f *results.Frame, n int) {
	t.Helper()
	cells, err := f.Column("cell", experiment.Text)
	if err != nil {
		t.Fatal(err)
	}
	wall, err := f.Column("wall_seconds", experiment.Float)
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows() != n {
		t.Errorf("%d cells, want %d", f.Rows(), n)
	}
	for i, cell := range cells.Texts {
		if cell != fmt.Sprintf("%032x", i) || wall.Floats[i] != float64(i) {
			t.Fatalf("row %d is cell %s with %g seconds", i, cell, wall.Floats[i])
		}
	}
}

// TestTablesOfFolder asks for the tables of a run while it goes on, for parts of them, by their
// ETag, and after it has ended.
func TestTablesOfFolder(t *testing.T) {
	t.Parallel()
	g := newGoing(t)
	tables, server := g.tables()
	tables.kept = time.Hour
	url := server.URL + "/runs/toy-run/"
	if answer, body := ask(t, http.MethodGet, url+"cells.arrow"); answer.StatusCode != http.StatusNotFound || !strings.Contains(string(body), `no table "cells" so far`) {
		t.Errorf("before the first cell: %d %s", answer.StatusCode, body)
	}
	g.add(3)
	if _, body := ask(t, "GET", server.URL+"/runs"); string(body) != `{"runs":["toy-run"]}` {
		t.Errorf("the runs are %s", body)
	}
	want := `{"run":"toy-run","ended":false,"tables":[{"name":"cells","files":["cells.arrow","cells.parquet"]},{"name":"doses","files":["doses.arrow","doses.parquet"]}]}`
	if _, body := ask(t, "GET", server.URL+"/runs/toy-run"); string(body) != want {
		t.Errorf("the run is %s", body)
	}
	first, whole := ask(t, http.MethodGet, url+"cells.arrow")
	etag := first.Header.Get("ETag")
	wantCells(t, frame(t, whole), 3)
	if _, body := ask(t, http.MethodGet, url+"doses.arrow"); frame(t, body).Rows() != 6 {
		t.Error("there are not two doses a cell")
	}
	if answer, body := ask(t, http.MethodGet, url+"cells.arrow", "Range", "bytes=5-24"); answer.StatusCode != http.StatusPartialContent || !bytes.Equal(body, whole[5:25]) ||
		answer.Header.Get("Content-Range") != fmt.Sprintf("bytes 5-24/%d", len(whole)) || answer.Header.Get("ETag") != etag {
		t.Errorf("a part is %d %v %q", answer.StatusCode, answer.Header, body)
	}
	if answer, body := ask(t, http.MethodGet, url+"cells.arrow", "Range", "bytes=-9"); answer.StatusCode != http.StatusPartialContent || !bytes.Equal(body, whole[len(whole)-9:]) {
		t.Errorf("the end is %d %q", answer.StatusCode, body)
	}
	if answer, _ := ask(t, http.MethodGet, url+"cells.arrow", "Range", fmt.Sprintf("bytes=%d-", len(whole))); answer.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("a part after the end: %d", answer.StatusCode)
	}
	if answer, body := ask(t, http.MethodGet, url+"cells.arrow", "If-None-Match", etag); answer.StatusCode != http.StatusNotModified || len(body) > 0 {
		t.Errorf("asked with its ETag: %d", answer.StatusCode)
	}
	if answer, body := ask(t, http.MethodHead, url+"cells.arrow"); answer.StatusCode != http.StatusOK || answer.ContentLength != int64(len(whole)) || len(body) > 0 ||
		answer.Header.Get("Content-Type") != "application/vnd.apache.arrow.file" || answer.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("its head: %d %v", answer.StatusCode, answer.Header)
	}
	g.add(2)
	if answer, _ := ask(t, http.MethodGet, url+"cells.arrow"); answer.Header.Get("ETag") != etag {
		t.Error("a file was renewed before its time")
	}
	tables.kept = 0
	answer, whole := ask(t, http.MethodGet, url+"cells.arrow", "If-None-Match", etag)
	if answer.StatusCode != http.StatusOK || answer.Header.Get("ETag") == etag {
		t.Errorf("after another flush: %d, ETag %s after %s", answer.StatusCode, answer.Header.Get("ETag"), etag)
	}
	wantCells(t, frame(t, whole), 5)
	if answer, body := ask(t, http.MethodGet, url+"cells.arrow", "Range", "bytes=5-24", "If-Range", etag); answer.StatusCode != http.StatusOK || !bytes.Equal(body, whole) {
		t.Errorf("a part of the file of before: %d, want the whole file of now", answer.StatusCode)
	}
	if err := g.store.Compact(t.Context(), g.order); err != nil {
		t.Fatal(err)
	}
	tables.resume = time.Time{}
	_, body := ask(t, http.MethodGet, url+"cells.arrow")
	if file, err := os.ReadFile(filepath.Join(g.dir, "cells.arrow")); err != nil || !bytes.Equal(file, body) {
		t.Errorf("the file of the run that has ended is another one, %v", err)
	}
	if err := os.Rename(filepath.Join(g.dir, "doses.arrow"), filepath.Join(g.dir, "aside")); err != nil {
		t.Fatal(err)
	}
	for path, status := range map[string]int{
		url + "doses.arrow": 404, url + "former.cells.arrow": 404, url + "cells.csv": 404, url + "manifest.json": 404, server.URL + "/runs/other": 404,
		url + "..%2Fcells.arrow": 404, server.URL + "/runs/..%2Ftoy-run/cells.arrow": 404, server.URL + "/": 200,
	} {
		tables.resume = time.Time{}
		if answer, body := ask(t, "GET", path); answer.StatusCode != status {
			t.Errorf("%s: %d %.200q", path, answer.StatusCode, body)
		}
	}
	for gone, list := range map[string]string{url + "cells.csv": "/runs/toy-run", server.URL + "/runs/other": "/runs"} {
		_, body := ask(t, "GET", gone)
		if answer, _ := ask(t, "GET", server.URL+list); answer.StatusCode != http.StatusOK || !strings.Contains(string(body), "; "+list+" lists them") {
			t.Errorf("%s: %s; the list answers %s", gone, body, answer.Status)
		}
	}
}

// TestTablesAreShared has many readers ask for a table that changes all the time: each gets a
// whole one, few are made, and those that nobody reads are removed.
func TestTablesAreShared(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	g := newGoing(t)
	g.add(50)
	tables, server := g.tables()
	tables.kept = 20 * time.Millisecond
	var readers sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	asked := make([]int, 20)
	for k := range asked {
		readers.Go(func() {
			for ctx.Err() == nil {
				answer, body := ask(t, "GET", server.URL+"/runs/toy-run/cells.parquet")
				if answer.StatusCode != http.StatusOK || !bytes.HasPrefix(body, []byte("PAR1")) || !bytes.HasSuffix(body, []byte("PAR1")) {
					t.Errorf("%d %.100q", answer.StatusCode, body)
					return
				}
				asked[k]++
			}
		})
	}
	start := time.Now()
	for range 10 {
		g.add(1)
		time.Sleep(30 * time.Millisecond)
	}
	stop()
	readers.Wait()
	took, total := time.Since(start), 0
	for _, n := range asked {
		total += n
	}
	most := 2 * (1 + int(took/tables.kept)) // an Arrow and a Parquet file at a time
	if tables.made > most || total < len(asked) || tables.made < 2 {
		t.Errorf("%d files were made for %d readings in %v; at most %d may be", tables.made, total, took, most)
	}
	left, err := os.ReadDir(tables.temp)
	if err != nil || len(left) != 2 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	temp := tables.temp
	if err := tables.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(temp); err == nil {
		t.Error("the temporary folder is left")
	}
}

// TestTablesRest wants files to be renewed in a small part of the time only.
func TestTablesRest(t *testing.T) {
	t.Parallel()
	g := newGoing(t)
	g.add(2000)
	tables, server := g.tables()
	tables.kept = 0
	url := server.URL + "/runs/toy-run/cells.arrow"
	ask(t, http.MethodGet, url)
	g.add(1)
	before := time.Now()
	first, _ := ask(t, http.MethodGet, url)
	took := time.Since(before)
	made := tables.versions[tableFile{"toy-run", "cells", "arrow"}].looked
	if rest := tables.resume.Sub(made); rest <= 0 || rest > (restFactor+1)*took {
		t.Errorf("after a renewal in %v it rests for %v", took, rest)
	}
	tables.resume = time.Now().Add(time.Hour)
	g.add(1)
	if second, _ := ask(t, http.MethodGet, url); second.Header.Get("ETag") != first.Header.Get("ETag") {
		t.Error("it does not rest")
	}
}

// TestTablesWhileGathered asks for tables again and again while the run turns its streams into
// files: each answer holds each cell once.
func TestTablesWhileGathered(t *testing.T) {
	needs.Patience(t, "1 s")
	t.Parallel()
	g := newGoing(t)
	g.add(20)
	tables, server := g.tables()
	tables.kept = 0
	done := make(chan struct{})
	go func() { // ends after some compactions
		defer close(done)
		for range 30 {
			g.add(5)
			if err := g.store.Compact(t.Context(), g.order); err != nil {
				t.Error(err)
			}
		}
	}()
	last := 20
	for ended := false; !ended; {
		select {
		case <-done:
			ended = true
		default:
		}
		tables.mu.Lock()
		tables.resume = time.Time{}
		tables.mu.Unlock()
		answer, body := ask(t, "GET", server.URL+"/runs/toy-run/cells.arrow")
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", answer.StatusCode, body)
		}
		f := frame(t, body)
		if f.Rows() < last {
			t.Fatalf("%d cells after %d", f.Rows(), last)
		}
		last = f.Rows()
		wantCells(t, f, last)
	}
	if last != g.next {
		t.Errorf("%d cells at the end, want %d", last, g.next)
	}
}

// TestTablesOfQueue asks for the tables of a run that the server has, while its cells are
// computed and after it was purged.
func TestTablesOfQueue(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.submit("night", 2)
	tables := NewTables(nil, func(err error) { t.Error(err) })
	tables.kept = 0
	m := New(Config{Queue: b.Queue, Kinds: []*experiment.Registration{toyKind}, Report: func(err error) { t.Log(err) }, Tables: tables})
	server := httptest.NewServer(m.Handler())
	t.Cleanup(func() {
		server.Close()
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
	})
	cells := make([]byte, 0, 18*16)
	for i := range 18 {
		key, err := hex.DecodeString(fmt.Sprintf("%032x", i))
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, key...)
	}
	text, err := json.Marshal(run.Description{Manifest: results.Manifest{Run: "night", Kind: "toy", SchemaVersion: experiment.SchemaVersion, Cells: 18}})
	err = errors.Join(err, b.PutData(b.ctx, "night", bytes.NewReader(text)), b.PutData(b.ctx, queue.CellsOf("night"), bytes.NewReader(cells)))
	if err != nil {
		t.Fatal(err)
	}
	b.await(m, "the run", func(s *State) bool { return len(s.Runs) == 1 })
	url := server.URL + "/runs/night"
	if _, body := ask(t, http.MethodGet, url); string(body) != `{"run":"night","ended":false,"tables":[]}` {
		t.Errorf("before the first cell: %s", body)
	}
	check := func(ok, failed int) {
		t.Helper()
		tables.resume = time.Time{}
		_, body := ask(t, http.MethodGet, url+"/cells.arrow")
		f := frame(t, body)
		errors := 0
		for row := range f.Rows() {
			if f.At(f.Index("error"), row) != nil {
				errors++
			}
		}
		if f.Rows() != ok+failed || errors != failed {
			t.Errorf("%d cells, of them %d failed; want %d and %d", f.Rows(), errors, ok+failed, failed)
		}
		tables.resume = time.Time{}
		if _, body := ask(t, http.MethodGet, url+"/doses.arrow"); frame(t, body).Rows() != 2*ok {
			t.Errorf("%d doses, want %d", frame(t, body).Rows(), 2*ok)
		}
	}
	b.compute(3, experiment.OK)
	check(3, 0)
	b.compute(1, experiment.Failed)
	check(3, 1)
	b.compute(14, experiment.OK)
	check(17, 1)
	b.await(m, "the end", func(s *State) bool { return s.Runs[0].Phase == Finished })
	if _, body := ask(t, http.MethodGet, url); !strings.Contains(string(body), `"ended":true`) {
		t.Errorf("after the end: %s", body)
	}
	if err := b.Purge(b.ctx, "night"); err != nil {
		t.Fatal(err)
	}
	if _, body := ask(t, http.MethodGet, url); !strings.HasSuffix(string(body), `"tables":[]}`) {
		t.Errorf("after the purge: %s", body)
	}
	if err := b.RemoveData(b.ctx, "night"); err != nil {
		t.Fatal(err)
	}
	b.await(m, "no run", func(s *State) bool { return len(s.Runs) == 0 })
	answer, body := ask(t, http.MethodGet, url)
	if left, err := os.ReadDir(tables.temp); answer.StatusCode != http.StatusNotFound || err != nil || len(left) != 2 { // the files of the two tables
		t.Errorf("without a run: %d %s; left are %v, %v", answer.StatusCode, body, left, err)
	}
}

// readServed prints how many rows polars reads of the tables, by ranges and from a whole file.
const readServed = `
import pl from 'nodejs-polars'
const url = process.argv[2]
const out = {}
for (const name of ['cells', 'doses']) {
  const scanned = (await pl.scanParquet(url + '/' + name + '.parquet').collect()).height
  const arrow = pl.readIPC(Buffer.from(await (await fetch(url + '/' + name + '.arrow')).arrayBuffer())).height
  out[name] = [scanned, arrow]
}
console.log(JSON.stringify(out))
`

// TestPolarsReadsTables has polars read the tables of a running run over HTTP, by ranges.
func TestPolarsReadsTables(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "1 s")
	polars := needs.Polars(t, "../../results/testdata/polars")
	g := newGoing(t)
	g.add(300)
	_, server := g.tables()
	var ranges atomic.Int64
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.UserAgent(), "polars") && r.Header.Get("Range") != "" {
			ranges.Add(1)
		}
		server.Config.Handler.ServeHTTP(w, r)
	}))
	defer counting.Close()
	work := t.TempDir()
	err := os.WriteFile(filepath.Join(work, "read.mjs"), []byte(readServed), 0o600)
	if err == nil {
		err = os.Symlink(filepath.Join(polars, "node_modules"), filepath.Join(work, "node_modules"))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "read.mjs", counting.URL+"/runs/toy-run")
	cmd.Dir = work
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var read struct{ Cells, Doses []int }
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read.Cells, []int{300, 300}) || !slices.Equal(read.Doses, []int{600, 600}) || ranges.Load() == 0 {
		t.Errorf("%s, in %d ranges", text, ranges.Load())
	}
}

// duckPage has DuckDB for browsers, which reads files over HTTP by itself: ask returns the rows
// of a query. Versions after 1.28 download the part that reads Parquet.
const duckPage = `<!doctype html><link rel="icon" href="data:,">
<script type="importmap">{"imports": {
  "apache-arrow": "/node_modules/apache-arrow/Arrow.dom.mjs",
  "flatbuffers": "/node_modules/flatbuffers/mjs/flatbuffers.js",
  "tslib": "/node_modules/tslib/tslib.es6.mjs"
}}</script>
<script type="module">
import { AsyncDuckDB, VoidLogger } from '/node_modules/@duckdb/duckdb-wasm/dist/duckdb-browser.mjs'
const at = location.origin + '/node_modules/@duckdb/duckdb-wasm/dist/duckdb-'
const db = new AsyncDuckDB(new VoidLogger(), new Worker(at + 'browser-eh.worker.js'))
await db.instantiate(at + 'eh.wasm')
const connection = await db.connect()
window.ask = async (query) => JSON.stringify((await connection.query(query)).toArray(), (key, value) => typeof value === 'bigint' ? Number(value) : value)
</script>`

// TestDuckDBReadsTables has DuckDB, in a browser, read the tables of a running run over
// HTTP, by ranges, and wants the values that the folder has after the end.
func TestDuckDBReadsTables(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "2 s")
	packages := needs.Polars(t, "../../results/testdata/polars")
	g := newGoing(t)
	tables, server := g.tables()
	tables.kept = 0
	var read atomic.Int64 // bytes
	mux := http.NewServeMux()
	mux.Handle("/node_modules/", http.FileServer(http.Dir(packages)))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, duckPage) })
	mux.HandleFunc("/runs/", func(w http.ResponseWriter, r *http.Request) {
		tables.mu.Lock()
		tables.resume = time.Time{}
		tables.mu.Unlock()
		var first, last int64
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last); r.Method == http.MethodGet && err != nil {
			t.Errorf("%s is read as a whole", r.URL)
		}
		if r.Method == http.MethodGet {
			read.Add(last + 1 - first)
		}
		server.Config.Handler.ServeHTTP(w, r)
	})
	origin := httptest.NewServer(mux)
	defer origin.Close()
	page := chromium.Open(t, origin.URL, origin.URL)
	page.Await(`"ask" in window`)
	query := func(text string) (rows []map[string]any) {
		t.Helper()
		if err := json.Unmarshal([]byte(chromium.Value[string](page, fmt.Sprintf("ask(%q)", text))), &rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	var columns []string
	for _, column := range toyTables.Cells().Columns {
		value := `"` + column.Name + `"`
		if column.Type == experiment.Time {
			value = "epoch_us(" + value + ") AS " + value
		}
		columns = append(columns, value)
	}
	var rows []map[string]any
	for _, cells := range []int{3000, 3500} {
		g.add(cells - g.next)
		table := func(name string) string { // DuckDB keeps the parts that it has read of an address
			return fmt.Sprintf("read_parquet('%s/runs/toy-run/%s.parquet?%d') AS %s", origin.URL, name, cells, name)
		}
		read.Store(0)
		counted := query("SELECT count(*) AS n FROM " + table("cells"))
		part := read.Load()
		head, _ := ask(t, http.MethodHead, origin.URL+"/runs/toy-run/cells.parquet")
		if counted[0]["n"] != float64(cells) || part == 0 || part > head.ContentLength/2 {
			t.Errorf("%v after %d cells, having read %d bytes of %d", counted, cells, part, head.ContentLength)
		}
		joined := query("SELECT count(*) AS n, count(DISTINCT cell) AS cells FROM " + table("cells") + " JOIN " + table("doses") + " USING (cell)")
		if joined[0]["n"] != float64(2*cells) || joined[0]["cells"] != float64(cells) {
			t.Errorf("%v after %d cells of two doses", joined, cells)
		}
		rows = query("SELECT " + strings.Join(columns, ", ") + " FROM " + table("cells") + " ORDER BY cell")
	}
	if err := g.store.Compact(t.Context(), g.order); err != nil {
		t.Fatal(err)
	}
	f, err := results.ReadTable(filepath.Join(g.dir, "cells.arrow"))
	if err != nil || f.Rows() != len(rows) {
		t.Fatalf("%d rows, want %d, %v", len(rows), f.Rows(), err)
	}
	for _, column := range toyTables.Cells().Columns {
		for row := range rows {
			want := f.At(f.Index(column.Name), row)
			switch value := want.(type) {
			case int64:
				want = float64(value)
			case time.Time:
				want = float64(value.UnixMicro())
			}
			if got := rows[row][column.Name]; got != want {
				t.Fatalf("row %d: %s is %v, want %v", row, column.Name, got, want)
			}
		}
	}
	if problems := page.Problems(); len(problems) > 0 {
		t.Errorf("%q", problems)
	}
}
