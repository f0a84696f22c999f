package dataset

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipeListener is a network in memory, so that servers and clients live in a
// synctest bubble with its own clock.
type pipeListener struct {
	accept chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipeListener() *pipeListener {
	l := &pipeListener{accept: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

func (l *pipeListener) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.accept <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accept:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.close()
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// openML is a server that describes one data set and hands out its file, one
// answer per request in the order of answers; the last one is repeated.
type openML struct {
	*httptest.Server
	fetcher  *Fetcher
	entry    Entry
	dir      string
	describe http.HandlerFunc
	answers  []http.HandlerFunc
	asked    []*http.Request // for the file
}

// toyFile is an ARFF file that the toy entry's options read as 400 x 2.
var toyFile = func() string {
	text := &strings.Builder{}
	text.WriteString("@relation toy\n@attribute a numeric\n@attribute b numeric\n@attribute t numeric\n@data\n")
	for i := range 400 {
		fmt.Fprintf(text, "%d,%d,%d.5\n", i, i*i, 3*i)
	}
	return text.String()
}()

// newOpenML starts the server inside the test's bubble.
func newOpenML(t *testing.T, answers ...http.HandlerFunc) *openML {
	t.Helper()
	o := &openML{answers: answers, dir: t.TempDir(), entry: Entry{
		Name: "toy", Task: Regression, Rows: 400, Features: 2, OpenML: 7,
		Files: []File{{Path: "toy/openml-7.arff", Options: Options{Format: formatARFF, Task: Regression, Target: "t"}, Fetched: true}},
	}}
	o.describe = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"data_set_description":{"id":"7","file_id":"70","url":"%s/file","md5_checksum":"%s"}}`, o.URL, md5Of(toyFile))
	}
	listener := newPipeListener()
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/json/data/7", func(w http.ResponseWriter, r *http.Request) { o.describe(w, r) })
	file := func(w http.ResponseWriter, r *http.Request) {
		answer := o.answers[min(len(o.asked), len(o.answers)-1)]
		o.asked = append(o.asked, r.Clone(r.Context())) // the answer may change the headers
		answer(w, r)
	}
	mux.HandleFunc("/file", file)
	mux.HandleFunc("/data/v1/download/70", file)
	o.Server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	o.Start()
	transport := &http.Transport{DialContext: listener.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		o.Close()
	})
	o.fetcher = &Fetcher{Client: &http.Client{Transport: transport}, BaseURL: o.URL}
	return o
}

// fetch fetches the entry and waits until the server is done, too, so that
// what it noted can be read.
func (o *openML) fetch(ctx context.Context) error {
	defer synctest.Wait()
	return o.fetcher.Fetch(ctx, o.entry, o.dir)
}

func (o *openML) path() string { return filepath.Join(o.dir, "toy", "openml-7.arff") }

// wantFile tells when the folder holds anything but the finished file.
func (o *openML) wantFile(t *testing.T) {
	t.Helper()
	got, err := os.ReadFile(o.path())
	if err != nil || string(got) != toyFile {
		t.Errorf("the file has %d bytes, %v, want the %d of the server", len(got), err, len(toyFile))
	}
	o.wantFolder(t, "openml-7.arff")
}

func (o *openML) wantFolder(t *testing.T, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(o.dir, "toy"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("the folder holds %v, want %v", names, want)
	}
}

func md5Of(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// whole hands out the file.
func whole(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, toyFile) }

// cut hands out text and breaks off after the given number of bytes.
func cut(bytes int, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(&cutter{w, bytes}, r)
	}
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	if len(p) < c.left {
		c.left -= len(p)
		return c.ResponseWriter.Write(p)
	}
	_, _ = c.ResponseWriter.Write(p[:c.left])
	_ = http.NewResponseController(c.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// stall sends a few bytes of the file and goes silent.
func stall(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", fmt.Sprint(len(toyFile)))
	_, _ = io.WriteString(w, toyFile[:1000])
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestFetch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, cut(len(toyFile)/2, whole), whole)
		if err := o.fetch(context.Background()); err == nil || !strings.Contains(err.Error(), "EOF") {
			t.Errorf("error %v of a download that broke off", err)
		}
		if err := o.fetch(context.Background()); err != nil {
			t.Fatal(err)
		}
		o.wantFile(t)
		if len(o.asked) != 2 {
			t.Errorf("%d requests, want 2", len(o.asked))
		}
	})
}

// TestFetchFails: what cannot become right is given up, with the reason, and
// the folder holds nothing of it.
func TestFetchFails(t *testing.T) {
	t.Parallel()
	wrong := strings.Replace(toyFile, "5", "6", 1)
	for name, test := range map[string]struct {
		change func(o *openML)
		answer http.HandlerFunc
		want   string
		asked  int // requests for the file
	}{
		"not found":         {nil, status(404), "/file: server answers 404 Not Found", 1},
		"gone":              {nil, status(410), "410 Gone", 1},
		"forbidden":         {nil, status(403), "403 Forbidden", 1},
		"errors always":     {nil, status(500), "/file: server answers 500 Internal Server Error", 1},
		"silent always":     {nil, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "not whole after 10m0s", 1},
		"breaks off always": {nil, cut(2000, whole), "unexpected EOF", 1},
		"wrong bytes": {nil, text(wrong),
			"/file: wrong bytes: MD5 is " + md5Of(wrong) + ", OpenML states " + md5Of(toyFile), 1},
		"wrong bytes for the catalog": {func(o *openML) { o.entry.Files[0].SHA256 = strings.Repeat("ab", 32) }, whole,
			"wrong bytes: SHA-256 is " + sha256Of(toyFile) + ", the catalog knows abab", 1},
		"wrong shape":   {func(o *openML) { o.entry.Rows = 401 }, whole, "400 rows x 2 features, expected 401 x 2", 1},
		"wrong columns": {func(o *openML) { o.entry.Files[0].Options.Target = "z" }, whole, `"z"`, 1},
		"unknown id": {func(o *openML) {
			o.describe = func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusPreconditionFailed)
				_, _ = io.WriteString(w, `{"error":{"code":"111","message":"Unknown dataset"}}`)
			}
		}, whole, "/api/v1/json/data/7: server answers 412 Precondition Failed", 0},
		"description of another": {func(o *openML) { o.describe = text(`{"data_set_description":{"id":"8","url":"x"}}`) }, whole, `of data set "8", expected 7`, 0},
		"description without a file": {func(o *openML) { o.describe = text(`{"data_set_description":{"id":"7","url":[]}}`) }, whole,
			"names no file", 0},
		"description is a page": {func(o *openML) { o.describe = text("<html>Back soon</html>") }, whole, "description of the data set: invalid character", 0},
		"address of another kind": {func(o *openML) { o.describe = text(`{"data_set_description":{"id":"7","url":"file:///etc/hosts"}}`) }, whole,
			`file:///etc/hosts: unsupported protocol scheme "file"`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := newOpenML(t, test.answer)
				if test.change != nil {
					test.change(o)
				}
				err := o.fetch(context.Background())
				if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "fetch data set toy: ") {
					t.Errorf("error %v, want %q in it", err, test.want)
				}
				if len(o.asked) != test.asked {
					t.Errorf("the file was asked for %d times, want %d", len(o.asked), test.asked)
				}
				o.wantFolder(t)
			})
		})
	}
}

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// TestFetchFollowsNoLink: what somebody else put into the cache in place of the file leads
// to no other file.
func TestFetchFollowsNoLink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, whole)
		write(t, o.dir, "victim", toyFile[:1000])
		if err := os.Symlink(filepath.Join(o.dir, "victim"), filepath.Join(o.dir, "toy/.openml-7.arff.tmp")); err != nil {
			t.Skip("no links:", err)
		}
		if err := o.fetch(context.Background()); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(o.dir, "victim")); err != nil || string(text) != toyFile[:1000] {
			t.Errorf("the file behind the link has %d bytes now, %v", len(text), err)
		}
		o.wantFile(t)
	})
}

func TestFetchStopsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, stall)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		start := time.Now()
		if err := o.fetch(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("error %v after %v, want that of the context after a minute", err, time.Since(start))
		}
	})
}

// TestFetchStopsAtTheDisk: an error of the disk is not the server's.
func TestFetchStopsAtTheDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, whole)
		write(t, o.dir, "toy/.openml-7.arff.tmp/in-the-way", "")
		if err := o.fetch(context.Background()); err == nil || !strings.Contains(err.Error(), "openml-7.arff.tmp") || len(o.asked) != 1 {
			t.Errorf("error %v after %d requests, want that of the disk after one", err, len(o.asked))
		}
		o.dir = write(t, t.TempDir(), "file", "")
		if err := o.fetch(context.Background()); err == nil || !strings.Contains(err.Error(), "file") {
			t.Errorf("error %v, want that of the folder", err)
		}
	})
}

// TestFetchLeavesAGoodFileAlone, and replaces a bad one.
func TestFetchLeavesAGoodFileAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, whole)
		write(t, o.dir, "toy/openml-7.arff", toyFile)
		if err := o.fetch(context.Background()); err != nil || len(o.asked) != 0 {
			t.Errorf("%v after %d requests, want none", err, len(o.asked))
		}
		write(t, o.dir, "toy/openml-7.arff", toyFile[:500])
		if err := o.fetch(context.Background()); err != nil || len(o.asked) != 1 {
			t.Errorf("%v after %d requests, want one", err, len(o.asked))
		}
		o.wantFile(t)
	})
}

// TestFetchedIsFound: a library over the same folder reads what was fetched.
func TestFetchedIsFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, whole)
		o.describe = text(`{"data_set_description":{"id":"7","file_id":"70","md5_checksum":"` + strings.ToUpper(md5Of(toyFile)) + `"}}`)
		if err := o.fetch(context.Background()); err != nil {
			t.Fatal(err)
		}
		library := Library{Cache: o.dir}
		result := library.Check(context.Background(), o.entry)
		if result.Err != nil || result.Path != o.path() || result.Rows != 400 {
			t.Errorf("%+v", result)
		}
		if got := o.asked[0].URL.Path; got != "/data/v1/download/70" {
			t.Errorf("without an address the file was asked for at %s", got)
		}
	})
}

// TestFetchByAddress: an entry that OpenML does not have is fetched directly.
func TestFetchByAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, whole)
		o.entry.OpenML, o.entry.URL = 0, o.URL+"/file"
		o.entry.Files[0].SHA256 = sha256Of(toyFile)
		if err := o.fetch(context.Background()); err != nil {
			t.Fatal(err)
		}
		o.wantFile(t)
	})
}

func TestFetchRefuses(t *testing.T) {
	t.Parallel()
	var f Fetcher
	digits, _ := Lookup("digits")
	for _, test := range []struct {
		entry Entry
		want  string
	}{
		{digits, "fetch data set digits: it is embedded"},
		{Entry{Name: "nowhere", Files: []File{{Path: "a"}}}, "fetch data set nowhere: the catalog knows no place"},
	} {
		if err := f.Fetch(context.Background(), test.entry, t.TempDir()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q in it", err, test.want)
		}
	}
}
