package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agepath/agepath/internal/testing/needs"
)

// receiver is a webhook that keeps what it gets, and answers as it is told.
type receiver struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	answers []int // the first ones; 200 after them
	events  []*Event
	bodies  []string
}

func startReceiver(t *testing.T, answers ...int) *receiver {
	t.Helper()
	r := &receiver{t: t, answers: answers}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		e := new(Event)
		if err != nil || json.Unmarshal(body, e) != nil || q.Method != http.MethodPost || q.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s, error %v: %s", q.Method, q.Header, err, body)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.events, r.bodies = append(r.events, e), append(r.bodies, string(body))
		if len(r.answers) > 0 {
			if r.answers[0] == http.StatusFound {
				w.Header().Set("Location", "/elsewhere")
			}
			w.WriteHeader(r.answers[0])
			r.answers = r.answers[1:]
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// texts lists the events that came.
func (r *receiver) texts() (texts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		texts = append(texts, e.Event+" "+e.Text)
	}
	return texts
}

// start returns a notifier that tries again soon, and its log.
func start(t *testing.T, config Config) (*Notifier, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	config.Version, config.Log = "v1", slog.New(slog.NewTextHandler(log, nil))
	n, err := newNotifier(config, time.Millisecond)
	if err != nil || n == nil {
		t.Fatalf("notifier %v, error %v", n, err)
	}
	return n, log
}

func stand(phase string, cells, ended, failed int64) Run {
	return Run{Name: "run", Phase: phase, Cells: cells, Ended: ended, Failed: failed, Over: phase == Finished}
}

// TestOnce follows a run over its end and a second one, and workers that come and go:
// each event is told once, and nothing of what was over before.
func TestOnce(t *testing.T) {
	t.Parallel()
	r := startReceiver(t)
	n, log := start(t, Config{URL: r.URL, FailureRate: 0.1})
	old := stand(Finished, 50, 50, 50)
	old.Name = "old"
	look := func(runs ...Run) { n.Runs(append(runs, old)...) }
	look(stand("computing", 100, 10, 10)) // too few to tell
	look(stand("computing", 100, 20, 2))
	look(stand("computing", 100, 40, 5))
	look(stand("computing", 100, 60, 50))
	look(stand(Finished, 100, 100, 90))
	look(stand("computing", 100, 99, 89)) // not over after all
	for range 5 {
		look(stand(Finished, 100, 100, 90))
	}
	look(stand("computing", 100, 30, 20)) // put back
	for range 3 {
		look(stand(Finished, 100, 100, 0))
	}
	few := stand("computing", 4, 4, 1) // fewer cells than are needed to tell
	few.Name = "few"
	look(few)
	up, down := Worker{Name: "a"}, Worker{Name: "a", Lost: true, Silent: 16, Running: 2}
	b := Worker{Name: "b", Lost: true}
	for _, workers := range [][]Worker{{up, b}, {down, b}, {down, b}, {up}, {down, b}, nil} {
		n.Workers(workers)
	}
	n.Close()
	n.Ended(old) // too late
	got := r.texts()
	want := []string{
		"failure-rate run run: 5 of 40 cells failed, more than 10 %",
		"ended run run: finished, 100 of 100 cells have ended, 90 failed",
		"failure-rate run run: 20 of 30 cells failed, more than 10 %",
		"ended run run: finished, 100 of 100 cells have ended",
		"failure-rate run few: 1 of 4 cells failed, more than 10 %",
		"workers-lost worker a was not heard of any more",
		"workers-lost 2 workers were not heard of any more: a, b",
	}
	if !slices.Equal(got, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Count(log.String(), "msg=notified") != len(want) {
		t.Errorf("log:\n%s", log)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schemas/notify.json")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i, body := range r.bodies {
		object, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err == nil {
			err = schema.Validate(object)
		}
		if err != nil {
			t.Errorf("%#v\n%s", err, body)
		}
		ids[r.events[i].ID] = true
	}
	if len(ids) != len(want) || *r.events[0].Limit != 0.1 || r.events[5].Workers[0].Running != 2 {
		t.Errorf("%d ids, events %+v", len(ids), r.events)
	}
}

// TestEndedWell wants no reasons of cells that were mended in the text of a run that has none that
// failed, and those of one that has.
func TestEndedWell(t *testing.T) {
	t.Parallel()
	why := []experiment.Reason{{Count: 2, Method: "gaga", Status: experiment.Timeout, Text: "not done within 1s"}}
	for failed, want := range map[int64]string{
		0: "run run: finished, 42 of 42 cells have ended",
		2: "run run: finished, 42 of 42 cells have ended, 2 failed: 2 x gaga: timeout: not done within 1s",
	} {
		run := stand(Finished, 42, 42, failed)
		run.Reasons = why
		if got := run.ending(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestText has control characters in what is told, and reasons of cells that were computed later.
func TestText(t *testing.T) {
	t.Parallel()
	r := startReceiver(t)
	n, _ := start(t, Config{URL: r.URL, FailureRate: 1})
	broken := stand(Broken, 2, 1, 0)
	broken.Error = "no \x1b[31mluck\x07\nmore"
	n.Ended(broken)
	mended := stand(Finished, 42, 42, 0)
	mended.Reasons = []experiment.Reason{{Count: 2, Status: experiment.Timeout, Text: "not done within 1s"}}
	n.Ended(mended)
	n.Workers(nil)
	n.Workers([]Worker{{Name: "a\x1bb", Lost: true}})
	n.Close()
	want := []string{
		"ended run run: broken, 1 of 2 cells have ended: no  [31mluck ", "ended run run: finished, 42 of 42 cells have ended",
		"workers-lost worker a b was not heard of any more",
	}
	if got := r.texts(); !slices.Equal(got, want) {
		t.Errorf("told\n%q\nwant\n%q", got, want)
	}
	if len(r.events) == len(want) && len(r.events[1].Run.Reasons) > 0 {
		t.Errorf("reasons of a run that is ok: %v", r.events[1].Run.Reasons)
	}
}

// TestRetries wants trouble of a webhook to be tried again, a refusal not, and both to
// be logged without the secret in the URL.
func TestRetries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers  []int
		requests int
		log      string
	}{
		"trouble":   {[]int{500, 429, 503}, 4, "msg=notified"},
		"refusal":   {[]int{403}, 1, "403 Forbidden"},
		"elsewhere": {[]int{302}, 1, "302 Found"},
		"for ever":  {[]int{500, 500, 500, 500, 500, 500, 500}, 1 + retries, "500 Internal Server Error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startReceiver(t, test.answers...)
			n, log := start(t, Config{URL: r.URL + "/secret?token=secret"})
			n.Ended(stand(Finished, 1, 1, 0))
			n.Close()
			if got := len(r.texts()); got != test.requests || !strings.Contains(log.String(), test.log) || strings.Contains(log.String(), "secret") {
				t.Errorf("%d requests, want %d; log:\n%s", got, test.requests, log)
			}
			for _, e := range r.events {
				if e.ID != r.events[0].ID {
					t.Errorf("the attempts have the ids %s and %s", r.events[0].ID, e.ID)
				}
			}
		})
	}
	r := startReceiver(t)
	r.Close()
	n, log := start(t, Config{URL: r.URL + "/secret"})
	n.Ended(stand(Finished, 1, 1, 0))
	n.Close()
	if !strings.Contains(log.String(), "no answer") || strings.Contains(log.String(), "secret") {
		t.Errorf("nobody answers; log:\n%s", log)
	}
	for _, url := range []string{"example.org/secret", "ftp://secret", "https:///secret", "http://secret:x:y/%zz"} {
		if _, err := New(Config{URL: url}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if n, err := New(Config{}); err != nil || !n.Silent() {
		t.Errorf("no way: %v, %v", n, err)
	}
}

// TestNeverBlocks wants nobody to wait for a webhook that does not answer: events beyond
// those that may wait are dropped, and closing ends what is being sent.
func TestNeverBlocks(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer server.Close()
	defer close(hang)
	n, log := start(t, Config{URL: server.URL})
	for range waiting + 5 {
		n.Ended(stand(Finished, 1, 1, 0))
	}
	n.cancel() // as Close does in the end
	n.Close()
	if text := log.String(); strings.Count(text, "is dropped") < 3 || !strings.Contains(text, "was not sent") {
		t.Errorf("log:\n%s", text)
	}
}

// TestCommand runs commands with the event on their standard input.
func TestCommand(t *testing.T) {
	t.Parallel()
	needs.Program(t, "commands of notifications", "cat")
	file := filepath.Join(t.TempDir(), "event's file")
	n, log := start(t, Config{Command: "cat >> \"" + file + "\"; echo hidden"})
	n.Ended(stand(Finished, 1, 1, 0))
	n.Close()
	text, err := os.ReadFile(file)
	e := new(Event)
	if err == nil {
		err = json.Unmarshal(text, e)
	}
	if err != nil || e.Run.Name != "run" || !strings.Contains(log.String(), "msg=notified") || strings.Contains(log.String(), "hidden") {
		t.Errorf("%v, %s; log:\n%s", err, text, log)
	}
	n, log = start(t, Config{Command: "echo no luck; exit 3"})
	n.Ended(stand(Finished, 1, 1, 0))
	n.Close()
	if !strings.Contains(log.String(), "exit status 3: no luck") {
		t.Errorf("log:\n%s", log)
	}
}

// TestCommandKilled wants a command that hangs to be killed with what it started.
func TestCommandKilled(t *testing.T) {
	t.Parallel()
	needs.Program(t, "commands of notifications", "mkfifo")
	file := filepath.Join(t.TempDir(), "pid")
	if err := exec.Command("mkfifo", file).Run(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var pid []byte
	said := make(chan error, 1)
	go func() {
		var err error
		pid, err = os.ReadFile(file)
		said <- err
		cancel()
	}()
	err := shellCommand(fmt.Sprintf("sleep 600 & echo $! > %s; wait", file)).send(ctx, nil)
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("error %v", err)
	}
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); exec.CommandContext(t.Context(), "sh", "-c", "kill -0 "+string(pid)).Run() == nil; {
		if state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); err == nil && strings.Contains(string(state), ") Z ") {
			break // dead, and nobody waits for it
		}
		if time.Now().After(deadline) {
			t.Fatal("what the command started lives")
		}
	}
}
