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
	failures []FetchProgress
	last     FetchProgress
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
		Files: []File{fetched("toy", 7, Options{Task: Regression, Target: "t"})},
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
	o.fetcher = &Fetcher{Client: &http.Client{Transport: transport}, BaseURL: o.URL, Progress: func(p FetchProgress) {
		if p.Err != nil {
			o.failures = append(o.failures, p)
		} else {
			o.last = p
		}
	}}
	return o
}

// fetch fetches the entry and waits until the server is done, too, so that
// what it noted can be read.
func (o *openML) fetch(ctx context.Context) error {
	defer synctest.Wait()
	return o.fetcher.Fetch(ctx, o.entry, o.dir)
}

func (o *openML) path() string { return filepath.Join(o.dir, "toy", "openml-7.arff") }

// ranges lists the Range headers of the requests for the file.
func (o *openML) ranges() []string {
	var ranges []string
	for _, request := range o.asked {
		ranges = append(ranges, request.Header.Get("Range"))
	}
	return ranges
}

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

// serve hands out text as a file server does, with ranges and the given ETag.
func serve(text, tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		http.ServeContent(w, r, "toy.arff", time.Time{}, strings.NewReader(text))
	}
}

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

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// stall sends a few bytes of the file and goes silent.
func stall(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"one"`)
	w.Header().Set("Content-Length", fmt.Sprint(len(toyFile)))
	_, _ = io.WriteString(w, toyFile[:1000])
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

// trickle sends the file in pieces with a pause before each that is just
// shorter than the time to call a server silent.
func trickle(w http.ResponseWriter, _ *http.Request) {
	for piece := range slices.Chunk([]byte(toyFile), 1000) {
		<-time.After(29 * time.Second)
		_, _ = w.Write(piece)
		_ = http.NewResponseController(w).Flush()
	}
}

// ignoreRange hands out the whole file whatever is asked.
func ignoreRange(w http.ResponseWriter, r *http.Request) {
	r.Header.Del("Range")
	serve(toyFile, `"one"`)(w, r)
}

// TestFetch: whatever the server does on the way, the file arrives.
func TestFetch(t *testing.T) {
	t.Parallel()
	whole := serve(toyFile, `"one"`)
	half := len(toyFile) / 2
	rest := fmt.Sprintf("bytes=%d-", half)
	other := strings.Replace(toyFile, "0,0,0.5", "9,9,9.5", 1)
	for name, test := range map[string]struct {
		answers []http.HandlerFunc
		ranges  []string // of the requests
		errs    []string // of the failures on the way
	}{
		"at once": {[]http.HandlerFunc{whole}, []string{""}, nil},
		"breaks off half-way": {
			[]http.HandlerFunc{cut(half, whole), whole},
			[]string{"", rest},
			[]string{"EOF"},
		},
		"breaks off again and again": {
			[]http.HandlerFunc{cut(100, whole), cut(100, whole), cut(100, whole), cut(100, whole), cut(100, whole), cut(100, whole), cut(100, whole), whole},
			[]string{"", "bytes=100-", "bytes=200-", "bytes=300-", "bytes=400-", "bytes=500-", "bytes=600-", "bytes=700-"},
			slices.Repeat([]string{"EOF"}, 7), // more failures than are allowed in a row, but each brought bytes
		},
		"goes silent": {
			[]http.HandlerFunc{stall, whole},
			[]string{"", "bytes=1000-"},
			[]string{"the server went silent for 30s"},
		},
		"is slow": {[]http.HandlerFunc{trickle}, []string{""}, nil},
		"errors first": {
			[]http.HandlerFunc{status(500), status(503), status(429), status(408), whole},
			[]string{"", "", "", "", ""},
			[]string{"500 Internal Server Error", "503", "429 Too Many Requests", "408"},
		},
		"errors in the middle": {
			[]http.HandlerFunc{cut(half, whole), status(502), whole},
			[]string{"", rest, rest},
			[]string{"EOF", "502"},
		},
		"ignores the range": {
			[]http.HandlerFunc{cut(half, whole), ignoreRange},
			[]string{"", rest},
			[]string{"EOF"},
		},
		"has no ETag": {
			[]http.HandlerFunc{cut(half, serve(toyFile, "")), serve(toyFile, "")},
			[]string{"", ""}, // nothing proves that the file is the same
			[]string{"EOF"},
		},
		"has a weak ETag": {
			[]http.HandlerFunc{cut(half, serve(toyFile, `W/"one"`)), serve(toyFile, `W/"one"`)},
			[]string{"", ""},
			[]string{"EOF"},
		},
		"changes between the attempts": {
			[]http.HandlerFunc{cut(half, serve(other, `"old"`)), whole},
			[]string{"", rest}, // and the server answers with the whole new file
			[]string{"EOF"},
		},
		"changes without a new ETag": {
			[]http.HandlerFunc{cut(half, serve(other, `"one"`)), whole, whole},
			[]string{"", rest, ""}, // the digest of the pieces is wrong, so once more from the start
			[]string{"EOF"},
		},
		"goes on with another version": {
			[]http.HandlerFunc{cut(half, whole), func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del("If-Range")
				serve(other, `"two"`)(w, r)
			}, whole},
			[]string{"", rest, ""},
			[]string{"EOF", "another version"},
		},
		"sends another range": {
			[]http.HandlerFunc{cut(half, whole), func(w http.ResponseWriter, r *http.Request) {
				r.Header.Set("Range", "bytes=7-")
				whole(w, r)
			}, whole},
			[]string{"", rest, ""},
			[]string{"EOF", fmt.Sprintf(`asked for bytes from %d, got range "bytes 7-`, half)},
		},
		"has no such range": {
			[]http.HandlerFunc{cut(half, whole), status(416, "Content-Range", "bytes */5"), whole},
			[]string{"", rest, ""},
			[]string{"EOF", fmt.Sprintf("no bytes from %d", half)},
		},
		"breaks off after the last byte": {
			[]http.HandlerFunc{cut(len(toyFile), func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"one"`)
				_ = http.NewResponseController(w).Flush() // no length: only the end of the chunks tells
				_, _ = io.WriteString(w, toyFile)
			}), whole},
			[]string{"", fmt.Sprintf("bytes=%d-", len(toyFile))}, // and the server answers 416
			[]string{"EOF"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := newOpenML(t, test.answers...)
				if err := o.fetch(context.Background()); err != nil {
					t.Fatal(err)
				}
				o.wantFile(t)
				if got := o.ranges(); !slices.Equal(got, test.ranges) {
					t.Errorf("the ranges asked for are %q, want %q", got, test.ranges)
				}
				for i, failure := range o.failures {
					if failure.Name != "toy" || failure.URL != o.URL+"/file" || failure.Wait <= 0 || failure.Failures < 1 {
						t.Errorf("failure %d is reported as %+v", i, failure)
					}
					if i >= len(test.errs) || !strings.Contains(failure.Err.Error(), test.errs[i]) {
						t.Errorf("failure %d is %v, want %q", i, failure.Err, test.errs)
					}
				}
				if len(o.failures) != len(test.errs) {
					t.Errorf("%d failures, want %d", len(o.failures), len(test.errs))
				}
				if size := int64(len(toyFile)); len(test.ranges) < 4 && o.last.Done != size && name != "breaks off after the last byte" {
					t.Errorf("progress ends at %d of %d bytes, want %d", o.last.Done, o.last.Total, size)
				}
			})
		})
	}
}

// TestFetchFails: what cannot become right is given up, with the reason, and
// nothing has the name of the data set.
func TestFetchFails(t *testing.T) {
	t.Parallel()
	whole := serve(toyFile, `"one"`)
	for name, test := range map[string]struct {
		change  func(o *openML)
		answer  http.HandlerFunc
		want    string
		asked   int // requests for the file
		remains []string
	}{
		"not found":     {nil, status(404), "/file: server answers 404 Not Found", 1, nil},
		"gone":          {nil, status(410), "410 Gone", 1, nil},
		"forbidden":     {nil, status(403), "403 Forbidden", 1, nil},
		"errors always": {nil, status(500), "500 Internal Server Error; gave up after 6 failures in a row", 6, nil},
		"silent always": {nil, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			"the server went silent for 30s; gave up after 6 failures in a row", 6, nil},
		"breaks off at the same place, without ranges": {nil, cut(2000, ignoreRange), "unexpected EOF; gave up after 6 failures in a row", 6,
			[]string{"openml-7.arff.part", "openml-7.arff.part.json"}},
		"asks to wait too long": {nil, status(503, "Retry-After", "86400"), "the server asks to wait 24h0m0s", 1, nil},
		"encodes unasked":       {nil, status(200, "Content-Encoding", "br"), `sends encoding "br" unasked`, 1, nil},
		"wrong bytes": {nil, serve(strings.Replace(toyFile, "5", "6", 1), `"one"`),
			"/file: wrong bytes: MD5 is " + md5Of(strings.Replace(toyFile, "5", "6", 1)) + ", OpenML states " + md5Of(toyFile), 1, nil},
		"wrong bytes for the catalog": {func(o *openML) { o.entry.Files[0].SHA256 = strings.Repeat("ab", 32) }, whole,
			"wrong bytes: SHA-256 is " + sha256Of(toyFile) + ", the catalog knows abab", 1, nil},
		"wrong shape":   {func(o *openML) { o.entry.Rows = 401 }, whole, "400 rows x 2 features, expected 401 x 2", 1, nil},
		"wrong columns": {func(o *openML) { o.entry.Files[0].Options.Target = "z" }, whole, `"z"`, 1, nil},
		"unknown id": {func(o *openML) {
			o.describe = func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusPreconditionFailed)
				_, _ = io.WriteString(w, `{"error":{"code":"111","message":"Unknown dataset"}}`)
			}
		}, whole, "/api/v1/json/data/7: server answers 412 Precondition Failed: Unknown dataset", 0, nil},
		"description of another": {func(o *openML) { o.describe = text(`{"data_set_description":{"id":8,"url":"x"}}`) }, whole, `of data set "8", expected 7`, 0, nil},
		"description without a file": {func(o *openML) { o.describe = text(`{"data_set_description":{"id":7,"url":[],"file_id":{}}}`) }, whole,
			"names no file", 0, nil},
		"description is a page": {func(o *openML) { o.describe = text("<html>Back soon</html>") }, whole, "description of the data set: invalid character", 0, nil},
		"address of another kind": {func(o *openML) { o.describe = text(`{"data_set_description":{"id":7,"url":"file:///etc/hosts"}}`) }, whole,
			"is not http or https", 0, nil},
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
				o.wantFolder(t, test.remains...)
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

// TestFetchWaits looks at the times between attempts on the bubble's clock.
func TestFetchWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		date := start.Add(5 * time.Minute).UTC().Format(http.TimeFormat)
		o := newOpenML(t, status(500), status(500), status(500), status(429, "Retry-After", "90"), status(503, "Retry-After", date), serve(toyFile, `"one"`))
		var at []time.Duration
		last := start
		for i, answer := range o.answers {
			o.answers[i] = func(w http.ResponseWriter, r *http.Request) {
				at = append(at, time.Since(last))
				last = time.Now()
				answer(w, r)
			}
		}
		if err := o.fetch(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i, full := range []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second} {
			if at[i] < full/2 || at[i] > full {
				t.Errorf("attempt %d came after %v, want %v to %v", i, at[i], full/2, full)
			}
		}
		if at[4] != 90*time.Second {
			t.Errorf("attempt 4 came after %v, the server asked for 90s", at[4])
		}
		// The date has whole seconds only.
		if since := last.Sub(start); since < 5*time.Minute-time.Second || since > 5*time.Minute {
			t.Errorf("attempt 5 came %v after the start, the server asked for 5m", since)
		}
	})
}

func TestFetchBackoffIsJittered(t *testing.T) {
	t.Parallel()
	var f Fetcher
	for failures, full := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 6: 32 * time.Second, 7: time.Minute, 1000: time.Minute} {
		low, high := time.Hour, time.Duration(0)
		for range 200 {
			wait := f.backoff(failures)
			low, high = min(low, wait), max(high, wait)
		}
		if low < full/2 || high > full || high-low < full/4 {
			t.Errorf("after %d failures the wait is %v to %v, want it spread over %v to %v", failures, low, high, full/2, full)
		}
	}
	f.Backoff = func(failures int) time.Duration { return time.Duration(failures) }
	if f.backoff(3) != 3 {
		t.Error("the caller's backoff is not asked")
	}
}

// TestFetchGoesOnInALaterProcess: what an interrupted fetch left is taken up.
func TestFetchGoesOnInALaterProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, stall, serve(toyFile, `"one"`))
		ctx, cancel := context.WithCancel(context.Background())
		progress := o.fetcher.Progress
		o.fetcher.Progress = func(p FetchProgress) {
			if progress(p); p.Done == 1000 {
				cancel()
			}
		}
		if err := o.fetch(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want that of the context", err)
		}
		o.wantFolder(t, "openml-7.arff.part", "openml-7.arff.part.json")
		if err := o.fetch(context.Background()); err != nil {
			t.Fatal(err)
		}
		o.wantFile(t)
		if got := o.asked[1].Header; got.Get("Range") != "bytes=1000-" || got.Get("If-Range") != `"one"` {
			t.Errorf("the second fetch asked for range %q if %q", got.Get("Range"), got.Get("If-Range"))
		}
	})
}

// TestFetchFollowsNoLink: what somebody else put into the cache in place of the file leads
// to no other file.
func TestFetchFollowsNoLink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, serve(toyFile, `"one"`))
		write(t, o.dir, "victim", toyFile[:1000])
		write(t, o.dir, "toy/openml-7.arff.part.json", `{"url":"`+o.URL+`/file","validator":"\"one\""}`)
		if err := os.Symlink(filepath.Join(o.dir, "victim"), filepath.Join(o.dir, "toy/openml-7.arff.part")); err != nil {
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

// TestFetchDoesNotMixAddresses: what came from another address is not gone on
// with.
func TestFetchDoesNotMixAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, serve(toyFile, `"one"`))
		write(t, o.dir, "toy/openml-7.arff.part", toyFile[:1000])
		write(t, o.dir, "toy/openml-7.arff.part.json", `{"url":"`+o.URL+`/old","validator":"\"one\""}`)
		if err := o.fetch(context.Background()); err != nil {
			t.Fatal(err)
		}
		o.wantFile(t)
		if got := o.ranges(); !slices.Equal(got, []string{""}) {
			t.Errorf("the ranges asked for are %q, want the whole", got)
		}
	})
}

func TestFetchStopsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newOpenML(t, status(503, "Retry-After", "300"))
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
		o := newOpenML(t, serve(toyFile, `"one"`))
		write(t, o.dir, "toy/openml-7.arff.part/in-the-way", "")
		if err := o.fetch(context.Background()); err == nil || !strings.Contains(err.Error(), "openml-7.arff.part") || len(o.asked) != 1 {
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
		o := newOpenML(t, serve(toyFile, `"one"`))
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
		o := newOpenML(t, serve(toyFile, `"one"`))
		o.describe = text(`{"data_set_description":{"id":7,"file_id":70,"md5_checksum":"` + strings.ToUpper(md5Of(toyFile)) + `"}}`)
		if err := o.fetch(context.Background()); err != nil {
			t.Fatal(err)
		}
		library := Library{Cache: o.dir}
		result := library.Check(context.Background(), o.entry)
		if result.Err != nil || result.Path != o.path() || result.Rows != 400 || result.High != 3*399+0.5 {
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
		o := newOpenML(t, serve(toyFile, ""))
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
