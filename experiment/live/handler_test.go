package live

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
)

func request(t *testing.T, h http.Handler, method, path string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
	answer := w.Result()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestHandler(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	h := m.Handler()
	for _, test := range []struct {
		method, path, kind, text string
		status                   int
	}{
		{"GET", "/", "text/html; charset=utf-8", "<!DOCTYPE html>", 200},
		{"HEAD", "/", "text/html; charset=utf-8", "", 200},
		{"GET", "/page.js", "text/javascript; charset=utf-8", "fetch", 200},
		{"GET", "/table.js", "text/javascript; charset=utf-8", "class Table", 200},
		{"GET", "/theme.js", "text/javascript; charset=utf-8", "theme", 200},
		{"GET", "/answer.js", "text/javascript; charset=utf-8", "class Answer", 200},
		{"GET", "/scores.json?run=none", "text/plain; charset=utf-8", "no such run", 404},
		{"GET", "/page.css", "text/css; charset=utf-8", "color-scheme", 200},
		{"GET", "/state.json", "application/json", `"runs":[],"run":null,"workers":[]`, 200},
		{"GET", "/healthz", "text/plain; charset=utf-8", "ok", 200},
		{"GET", "/readyz", "text/plain; charset=utf-8", "not looked at yet", 503},
		{"GET", "/metrics", "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", "agepath_nats_connected 1", 200},
		{"GET", "/page/page.html", "text/plain; charset=utf-8", "", 404},
		{"GET", "/../go.mod", "", "", 307},
		{"POST", "/", "text/plain; charset=utf-8", "", 405},
		{"DELETE", "/state.json", "text/plain; charset=utf-8", "", 405},
	} {
		answer, body := request(t, h, test.method, test.path)
		if answer.StatusCode != test.status || !strings.Contains(body, test.text) || test.kind != "" && answer.Header.Get("Content-Type") != test.kind {
			t.Errorf("%s %s: status %d, %s: %.200s", test.method, test.path, answer.StatusCode, answer.Header.Get("Content-Type"), body)
		}
		if answer.Header.Get("Content-Security-Policy") != policy || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: headers %v", test.method, test.path, answer.Header)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
}

// TestNoForeignAssets wants the page to name nothing outside itself.
func TestNoForeignAssets(t *testing.T) {
	t.Parallel()
	foreign := regexp.MustCompile(`(?:https?:)?//[a-z]|@import|url\(|innerHTML|insertAdjacentHTML|document\.write|eval\(| style=| on[a-z]+="`)
	err := fs.WalkDir(page, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := page.ReadFile(path)
		if match := foreign.Find(text); match != nil {
			t.Errorf("%s has %q", path, match)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestStateOfRun wants the run that was asked for, or else one that computes.
func TestStateOfRun(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	b.submit("a", 1)
	b.submit("b", 1)
	b.submit("c", 1)
	held := b.pull()
	b.await(m, "three runs, one of them computing", func(s *State) bool {
		return len(s.Runs) == 3 && s.Runs[0].Queued+s.Runs[1].Queued+s.Runs[2].Queued == 26
	})
	h := m.Handler()
	for _, test := range []struct{ query, want string }{{"", held.Task.Run}, {"?run=b", "b"}, {"?run=c", "c"}, {"?run=%3Cscript%3E", held.Task.Run}} {
		_, body := request(t, h, "GET", "/state.json"+test.query)
		var got struct {
			Runs []struct{ Name string }
			Run  struct {
				Name  string
				Parts []Part
			}
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if got.Run.Name != test.want || len(got.Run.Parts) != 9 || len(got.Runs) != 3 {
			t.Errorf("%q: %s", test.query, body)
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.monitor()
	b.submit("run", 1)
	b.compute(5, experiment.OK)
	b.compute(1, experiment.Timeout)
	b.pull()
	if err := b.Announce(&queue.Presence{Name: "w", Slots: 3, State: queue.Working, At: time.Now(), Running: []queue.Running{{Run: "run", Cell: "x", Since: time.Now()}}}); err != nil {
		t.Fatal(err)
	}
	b.await(m, "six cells are done", func(s *State) bool {
		return len(s.Runs) == 1 && s.Runs[0].OK == 5 && s.Runs[0].Failed == 1 && s.Runs[0].Queued == 2 && s.Runs[0].Running == 1 && len(s.Workers) == 1
	})
	const want = `
# HELP agepath_cell_duration_seconds Elapsed time of the last attempt of each cell of a run.
# TYPE agepath_cell_duration_seconds histogram
agepath_cell_duration_seconds_bucket{run="run",le="0.001"} 0
agepath_cell_duration_seconds_bucket{run="run",le="0.01"} 0
agepath_cell_duration_seconds_bucket{run="run",le="0.1"} 0
agepath_cell_duration_seconds_bucket{run="run",le="0.5"} 1
agepath_cell_duration_seconds_bucket{run="run",le="1"} 1
agepath_cell_duration_seconds_bucket{run="run",le="5"} 5
agepath_cell_duration_seconds_bucket{run="run",le="10"} 6
agepath_cell_duration_seconds_bucket{run="run",le="30"} 6
agepath_cell_duration_seconds_bucket{run="run",le="60"} 6
agepath_cell_duration_seconds_bucket{run="run",le="300"} 6
agepath_cell_duration_seconds_bucket{run="run",le="900"} 6
agepath_cell_duration_seconds_bucket{run="run",le="3600"} 6
agepath_cell_duration_seconds_bucket{run="run",le="14400"} 6
agepath_cell_duration_seconds_bucket{run="run",le="+Inf"} 6
agepath_cell_duration_seconds_sum{run="run"} 16.5
agepath_cell_duration_seconds_count{run="run"} 6
# HELP agepath_cells Cells of a run that have ended and are not queued again, by status.
# TYPE agepath_cells gauge
agepath_cells{run="run",status="cancelled"} 0
agepath_cells{run="run",status="diverged"} 0
agepath_cells{run="run",status="failed"} 0
agepath_cells{run="run",status="incomplete"} 0
agepath_cells{run="run",status="memory"} 0
agepath_cells{run="run",status="ok"} 5
agepath_cells{run="run",status="skipped"} 0
agepath_cells{run="run",status="timeout"} 1
# HELP agepath_cells_planned Cells of the grid of a run.
# TYPE agepath_cells_planned gauge
agepath_cells_planned{run="run"} 9
# HELP agepath_queue_tasks Tasks of a run that are queued, running or dead.
# TYPE agepath_queue_tasks gauge
agepath_queue_tasks{run="run",state="dead"} 0
agepath_queue_tasks{run="run",state="queued"} 2
agepath_queue_tasks{run="run",state="running"} 1
# HELP agepath_workers Workers heard of in the last minute: working, idle, stopping or lost.
# TYPE agepath_workers gauge
agepath_workers{state="idle"} 0
agepath_workers{state="lost"} 0
agepath_workers{state="stopping"} 0
agepath_workers{state="working"} 1
# HELP agepath_worker_slots Slots of workers that are not lost, busy or free.
# TYPE agepath_worker_slots gauge
agepath_worker_slots{state="busy"} 1
agepath_worker_slots{state="free"} 2
`
	err := testutil.GatherAndCompare(m.registry(), strings.NewReader(want), "agepath_cell_duration_seconds", "agepath_cells",
		"agepath_cells_planned", "agepath_queue_tasks", "agepath_workers", "agepath_worker_slots")
	if err != nil {
		t.Error(err)
	}
	problems, err := testutil.GatherAndLint(m.registry())
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, error %v", problems, err)
	}
}

// TestHosts wants a listener for this machine to answer to its own names only.
func TestHosts(t *testing.T) {
	t.Parallel()
	fine := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, test := range []struct {
		listen, host string
		status       int
	}{
		{"127.0.0.1:0", "localhost:8480", 200}, {"127.0.0.1:0", "127.0.0.1:8480", 200}, {"127.0.0.1:0", "[::1]:8480", 200},
		{"127.0.0.1:0", "localhost", 200}, {"127.0.0.1:0", "evil.example:8480", 403}, {"127.0.0.1:0", "localhost.evil.example", 403},
		{":0", "cluster.example:8480", 200},
	} {
		listener, err := net.Listen("tcp", test.listen)
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Host = test.host
		w := httptest.NewRecorder()
		local(listener, fine).ServeHTTP(w, r)
		if w.Code != test.status {
			t.Errorf("%s at %s: status %d", test.host, test.listen, w.Code)
		}
	}
}

// goroutines returns the stacks of those, beside the caller's and of tests that
// wait for their turn, in which this package, the queue or HTTP is at work. The
// embedded server comes and goes as it likes.
func goroutines() []string {
	text := make([]byte, 4<<20)
	text = text[:runtime.Stack(text, true)]
	stacks := strings.Split(string(text), "\n\n")[1:]
	return slices.DeleteFunc(stacks, func(stack string) bool {
		return !regexp.MustCompile(`agepath/experiment/(?:live|queue)\.|net/http\.`).MatchString(stack) || strings.Contains(stack, "testing.(*T).Parallel")
	})
}

// TestServeEnds wants the server and the loop to end with their context, in
// the middle of what they do, and no goroutine to be left. It runs alone.
func TestServeEnds(t *testing.T) {
	b := newBed(t)
	b.submit("run", 3)
	b.compute(5, experiment.OK)
	m := b.monitor()
	ctx, cancel := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() {
		m.Run(ctx)
		ended <- nil
	}()
	go func() { ended <- Serve(ctx, listener, m.Handler()) }()
	client := &http.Client{Transport: &http.Transport{}}
	for _, path := range []string{"/", "/state.json", "/metrics"} {
		answer, err := client.Get("http://" + listener.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d, error %v", path, answer.StatusCode, err)
		}
		answer.Body.Close()
	}
	if len(goroutines()) < 2 {
		t.Error("those at work are not seen")
	}
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	client.CloseIdleConnections()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for left := goroutines(); len(left) > 0; left = goroutines() {
		select {
		case <-ticker.C:
		case <-b.ctx.Done():
			t.Fatalf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
		}
	}
	if err := Serve(t.Context(), listener, m.Handler()); err == nil {
		t.Error("serving on a closed listener succeeds")
	}
}
