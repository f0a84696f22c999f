package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/internal/testing/testqueue"
	"github.com/agepath/agepath/results"
)

// served is the command serve as it runs in this process.
type served struct {
	t       *testing.T
	ctx     context.Context // that ends it
	signal  func()
	address string // of the page
	ended   chan int
}

// startServe runs serve with arguments, on any free port.
func startServe(t *testing.T, args ...string) *served {
	t.Helper()
	s := &served{t: t, ended: make(chan int, 1)}
	s.ctx, s.signal = context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(s.signal)
	reader, writer := io.Pipe()
	env := map[string]string{"AGEPATH_LISTEN": "127.0.0.1:0"}
	if slices.Contains(args, "--results") {
		env["AGEPATH_NATS_URL"] = "nats://127.0.0.1:1" // for other commands
	}
	go func() { // ends with ctx
		s.ended <- execute(s.ctx, append([]string{"serve"}, args...), command.Streams{
			Out: writer, Err: io.Discard,
			Env: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
		})
		writer.Close()
	}()
	address, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatalf("serve tells no address: %v", err)
	}
	s.address = strings.TrimSpace(address)
	return s
}

// await waits for an answer with a status and a text in it.
func (s *served) await(path string, status int, text string) {
	s.t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		got, body := get(s.t, s.ctx, s.address+path)
		if got == status && strings.Contains(body, text) {
			return
		}
		select {
		case <-ticker.C:
		case <-s.ctx.Done():
			s.t.Fatalf("waiting for %s in %s; it is, with status %d,\n%s", text, path, got, body)
		}
	}
}

// text returns what is answered.
func (s *served) text(path string) string {
	s.t.Helper()
	_, body := get(s.t, s.ctx, s.address+path)
	return body
}

// wantEnd ends it by a signal.
func (s *served) wantEnd() {
	s.t.Helper()
	s.signal()
	if code := <-s.ended; code != command.ExitDone {
		s.t.Errorf("exit status %d after a signal", code)
	}
}

// TestRunWithPage resumes a run with --serve: the page has the cells that the folder had and
// those that are computed, and goes with the run.
func TestRunWithPage(t *testing.T) {
	needs.Patience(t, "8 s")
	t.Parallel()
	needs.Program(t, "a method that takes long", "sleep")
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", smallGrid), filepath.Join(dir, "out")
	run := []string{"run", grid, "--out", out, "--workers", "1", "--figures", "0", "--no-reuse", "--set", "repeats=1"}
	must(t, run...)
	ctx, signal := context.WithTimeout(t.Context(), time.Minute)
	defer signal()
	reader, writer := io.Pipe()
	ended := make(chan int, 1)
	args := append(run, "--serve", "--allow-commands", "--set", "methods=[original, {command: {name: slow, run: [sleep, 50]}}]")
	go func() { // ends with ctx
		ended <- execute(ctx, args, command.Streams{
			Out: io.Discard, Err: writer, Env: func(string) (string, bool) { return "", false },
		})
		writer.Close()
	}()
	log := bufio.NewReader(reader)
	line, err := log.ReadString('\n')
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("the log begins with %q, %v", line, err)
	}
	go io.Copy(io.Discard, log) // until the program ends
	s := &served{t: t, ctx: ctx, address: address}
	s.await("state.json", http.StatusOK, `"cells":10,"ok":6,"incomplete":0,"failed":0,"running":1,"queued":3,"unqueued":0`)
	s.await("state.json", http.StatusOK, `"dataset":"diabetes","method":"original","cells":4,"done":4`)
	name := regexp.MustCompile(`"runs":\["(.+)"\]`).FindStringSubmatch(s.text("runs"))
	if name == nil {
		t.Fatalf("the runs are %s", s.text("runs"))
	}
	s.await("runs/"+name[1], http.StatusOK, `"ended":false,"tables":[{"name":"cells","files":["cells.arrow","cells.parquet"]},{"name":"knots",`)
	if cells := s.text("runs/" + name[1] + "/cells.parquet"); !strings.HasPrefix(cells, "PAR1") || !strings.HasSuffix(cells, "PAR1") {
		t.Errorf("the cells so far are %.100q", cells)
	}
	signal()
	if code := <-ended; code != command.ExitInterrupted {
		t.Errorf("exit status %d", code)
	}
	if connection, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(address, "http:"), "/")); err == nil {
		connection.Close()
		t.Error("the page is still served")
	}
	wantRefusal(t, do(t, append(run, "--serve=8480")...), []string{"--serve: ", "allowed is host:port"})
}

// TestServe watches a sweep by its metrics, from a server without streams to
// the last cell, and ends by a signal.
func TestServe(t *testing.T) {
	t.Parallel()
	needs.Patience(t, "5 s")
	r := startRemote(t)
	dir := t.TempDir()
	write(t, dir, "data.csv", table)
	grid := write(t, dir, "grid.yaml", "name: watched\nrepeats: 3\n"+dataGrid)
	s := startServe(t, "--nats", r.url)
	s.await("readyz", http.StatusOK, "ok")
	s.await("state.json", http.StatusOK, `"runs":[]`)
	s.await("healthz", http.StatusOK, "ok")
	run, _, _ := strings.Cut(must(t, "submit", grid, "--nats", r.url).out, ":")
	s.await("readyz", http.StatusOK, "ok")
	s.await("metrics", http.StatusOK, `agepath_queue_tasks{run="`+run+`",state="queued"} 6`)
	s.await("", http.StatusOK, "agepath")
	open := `agepath_open_tasks{run="` + run + `"} `
	s.await("metrics", http.StatusOK, open+"6")
	must(t, "pause", run, "--nats", r.url)
	s.await("metrics", http.StatusOK, open+"0")
	must(t, "resume", run, "--nats", r.url)
	s.await("metrics", http.StatusOK, open+"6")
	_, wait := r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	s.await("metrics", http.StatusOK, `agepath_cells{run="`+run+`",status="ok"} 6`)
	s.await("state.json", http.StatusOK, `"phase":"finished"`)
	s.await("state.json", http.StatusOK, `"dataset":"data","method":"original","cells":3,"done":3,"incomplete":0,"failed":0`)
	s.wantEnd()
}

// TestWatchingByNames wants the alerts, the dashboard and the scaler of deploy/k8s to use
// metrics, labels and states that a process of serve has.
func TestWatchingByNames(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	r, dir := startRemote(t), t.TempDir()
	write(t, dir, "data.csv", table)
	run, _, _ := strings.Cut(must(t, "submit", write(t, dir, "grid.yaml", "name: watched\n"+dataGrid), "--nats", r.url).out, ":")
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	r.work(t)
	serve := process(ctx, "serve", "--nats", r.url, "--listen", "127.0.0.1:0")
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { end(); _ = serve.Wait() }() // it is killed
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, ctx: ctx, address: strings.TrimSpace(address)}
	s.await("metrics", http.StatusOK, `agepath_cells{run="`+run+`",status="ok"} 2`)
	s.await("metrics", http.StatusOK, `agepath_open_tasks{run="`+run+`"} 0`)
	_, scrape := get(t, ctx, s.address+"metrics")
	labels, states := map[string]string{}, map[string]string{} // of each metric, all of them in a text
	pair := regexp.MustCompile(`(\w+)="([^"]*)"`)
	for _, sample := range regexp.MustCompile(`(?m)^(agepath_\w+)(?:\{(.*)\})? `).FindAllStringSubmatch(scrape, -1) {
		labels[sample[1]] += " "
		for _, match := range pair.FindAllStringSubmatch(sample[2], -1) {
			labels[sample[1]] += match[1] + " "
			if match[1] == "state" {
				states[sample[1]] += "|" + match[2] + "|"
			}
		}
	}
	labels["agepath_eta_seconds"] = " run " // absent while nothing is left to do
	used := map[string]bool{}
	matcher := regexp.MustCompile(`(\w+)[=!]=?~?"([^"]*)"`)
	for _, file := range []string{"prometheus/rules.yaml", "grafana/agepath.json", "overlays/keda/workers.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "k8s", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		queries := strings.ReplaceAll(string(text), `\"`, `"`)
		for _, use := range regexp.MustCompile(`(agepath_\w+)(?:\{([^}]*)\})?`).FindAllStringSubmatch(queries, -1) {
			name := use[1]
			used[name] = true
			if _, there := labels[name]; !there {
				t.Errorf("%s uses %s, which serve does not have", file, name)
			}
			for _, match := range matcher.FindAllStringSubmatch(use[2], -1) {
				if !strings.Contains(labels[name], " "+match[1]+" ") {
					t.Errorf("%s uses the label %s of %s, which has%s", file, match[1], name, labels[name])
				}
				for value := range strings.SplitSeq(match[2], "|") {
					if match[1] == "state" && !strings.Contains(states[name], "|"+value+"|") {
						t.Errorf("%s uses the state %s of %s, which has %s", file, value, name, states[name])
					}
				}
			}
		}
	}
	if len(used) < 12 {
		t.Errorf("only %d metrics are used", len(used))
	}
}

// TestServeBeforeServer starts serve before there is a NATS server: it is alive,
// says what it waits for, can be ended, and shows the queue once there is one.
func TestServeBeforeServer(t *testing.T) {
	t.Parallel()
	address := needs.FreePorts(t, 1)[0]
	args := []string{"--nats", "nats://" + address, "--connect-wait", "forever"}
	ended, s := startServe(t, args...), startServe(t, args...)
	for _, each := range []*served{ended, s} {
		each.await("healthz", http.StatusOK, "ok")
		each.await("readyz", http.StatusServiceUnavailable, "waiting for the NATS server")
		each.await("", http.StatusServiceUnavailable, "waiting for the NATS server")
	}
	ended.wantEnd()
	testqueue.Server(t, address)
	s.await("readyz", http.StatusOK, "ok")
	s.await("", http.StatusOK, "agepath")
	s.wantEnd()
}

func get(t *testing.T, ctx context.Context, address string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
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
	return answer.StatusCode, string(body)
}

// TestServeRefusals wants addresses that are none, or taken, to be refused.
func TestServeRefusals(t *testing.T) {
	t.Parallel()
	wantRefusal(t, do(t, "serve", "--nats", "nats://127.0.0.1:1", "--listen", "8480"), []string{"--listen", "8480", "127.0.0.1:8480"})
	wantRefusal(t, do(t, "serve", "--listen", "127.0.0.1:0"), []string{"no NATS server"})
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	wantRefusal(t, do(t, "serve", "--nats", "nats://127.0.0.1:1", "--listen", taken.Addr().String()), []string{"--listen", "in use"})
}

// TestServeFolder serves the tables of a folder without a server, and has agepath.py read them.
func TestServeFolder(t *testing.T) {
	needs.Patience(t, "2 s")
	t.Parallel()
	dir := t.TempDir()
	grid, out := write(t, dir, "grid.yaml", smallGrid), filepath.Join(dir, "out")
	must(t, "run", grid, "--out", out, "--workers", "1", "--figures", "0", "--no-reuse", "--set", "repeats=1")
	m, err := results.ReadManifest(out)
	if err != nil {
		t.Fatal(err)
	}
	s := startServe(t, "--results", out)
	defer s.wantEnd()
	for _, name := range []string{"cells", "knots"} {
		want, err := os.ReadFile(filepath.Join(out, name+".arrow"))
		if err != nil {
			t.Fatal(err)
		}
		if s.text("runs/"+m.Run+"/"+name+".arrow") != string(want) {
			t.Errorf("%s.arrow is another one than in the folder", name)
		}
	}
	write(t, dir, "agepath.py", must(t, "python").out)
	ask := func(script string) string {
		cmd := exec.Command(numpy(t), "-c", "import agepath, hashlib, sys, types\n"+script, s.address+"runs/"+m.Run)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			return string(out) + err.Error()
		}
		return string(out)
	}
	digest, err := disk.Digest(filepath.Join(out, "knots.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	const reader = `
sys.modules["pyarrow"] = None
sys.modules["polars"] = types.SimpleNamespace(read_ipc=lambda file, memory_map: hashlib.sha256(file.read()).hexdigest())
print(agepath.read(sys.argv[1]).knots)`
	if text := ask(reader); text != digest+"\n" {
		t.Errorf("read hands over other bytes: %s", text)
	}
	if text := ask("agepath.read(sys.argv[1] + 'x')"); !strings.Contains(text, "FileNotFoundError: http://") || !strings.Contains(text, `there is no run "`+m.Run+`x"; /runs lists them`) {
		t.Errorf("a run that is not there: %s", text)
	}
	if text := ask("sys.modules.update(pyarrow=None, polars=None)\nagepath.read(sys.argv[1]).cells"); !strings.HasSuffix(text, "pip install pandas pyarrow\nexit status 1") {
		t.Errorf("without a reader: %s", text)
	}
	wantRefusal(t, do(t, "serve", "--results", dir), []string{"--results: ", "allowed is a folder of `coordinator run`"})
}
