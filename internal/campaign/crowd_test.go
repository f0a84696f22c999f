//go:build unix

package campaign

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
)

// crowd is workers of one slot each, in one process, with a connection and a name each, which stay
// until SIGTERM. It says when all are connected. Its arguments are the server's URL and the number.
func crowd(ctx context.Context) error {
	workers, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	kind := &sleeper{}
	if kind.knots, err = standInKnots(20); err != nil {
		return err
	}
	var connecting, working errgroup.Group
	connecting.SetLimit(32)
	for i := range workers {
		connecting.Go(func() error {
			q, err := connectSimulated(ctx)
			if err != nil {
				return err
			}
			working.Go(func() error {
				defer q.Close()
				return simulatedSlot(ctx, q, queue.WorkerConfig{Name: fmt.Sprintf("node-%03d/worker-%05d", i/4, i)}, kind)
			})
			return nil
		})
	}
	if err := connecting.Wait(); err != nil {
		return err
	}
	fmt.Println("connected")
	return working.Wait()
}

// answersWithin is how long submit, status and the live page may take to answer.
const answersWithin = 5 * time.Second

// TestCrowd has a server with the accounts of deploy/k8s keep workers of many nodes, each with a
// connection, busy with cells of some seconds. Submit, status and the live page answer within 5
// seconds, before, while they compute and after, and no cell is lost. With AGEPATH_LONG=1 there are
// 2,000 workers.
func TestCrowd(t *testing.T) {
	needs.Patience(t, "half a minute")
	workers, cost := 50, time.Second
	if needs.Long() {
		workers, cost = 2000, 5*time.Second
	} else {
		t.Parallel()
	}
	cells := workers * 10
	l := newLaboratory(t, true)
	within := func(what string, m sample) {
		t.Helper()
		t.Logf("%s: %.2f s, %.2f s of processor time, %.0f MB; the server %.2f s", what, m.Seconds, m.Client, m.Memory/1e6, m.Server)
		if m.Seconds > answersWithin.Seconds() {
			t.Errorf("%s took %.1f s, want %v", what, m.Seconds, answersWithin)
		}
	}
	m, _ := l.coordinator("status", setting{}, "status") // the streams are made by the first coordinator
	within("status of nothing", m)
	grid := write(t, "crowd", 10, cells/10)
	m, out := l.coordinator("submit", setting{}, "submit", write(t, "first", 10, 1), "--set", "keep.knots=true")
	within("the first submit", m)
	first, _, _ := strings.Cut(out, ":")

	empty, began := l.gauge(), time.Now()
	cmd := itself(t, "crowd", l.workers, strconv.Itoa(workers))
	cmd.Env = append(cmd.Env, costVariable+"="+cost.String())
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the workers: %v", err)
		}
	})
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		t.Fatalf("the workers say %q: %v", line, err)
	}
	t.Logf("%d workers are connected after %v", workers, time.Since(began).Round(100*time.Millisecond))
	time.Sleep(2 * queue.PresenceEvery)
	load := func(when string) {
		t.Helper()
		before, began := l.gauge(), time.Now()
		time.Sleep(10 * time.Second)
		after, seconds := l.gauge(), time.Since(began).Seconds()
		t.Logf("%s: the server takes %.2f processors, %.0f MB of heap, %.0f MB resident (%.0f before the workers), %.0f messages a second", when,
			(after.Before-before.After)/seconds, float64(after.Heap)/1e6, float64(after.Resident)/1e6, float64(empty.Resident)/1e6, float64(after.Messages-before.Messages)/seconds)
	}
	load("workers that wait")

	p := l.page(t)
	await(t, "the live page is connected", func() bool {
		response, err := http.Get(p.address + "readyz")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	p.await(t, fmt.Sprintf("%d workers", workers), "metrics", func(text string) bool {
		return total(text, "agepath_workers") == workers
	})
	m, _ = l.coordinator("status", setting{}, "status")
	within("status while workers wait", m)
	m, out = l.coordinator("submit", setting{}, "submit", grid, "--set", "keep.knots=true")
	within(fmt.Sprintf("submit of %d cells", cells), m)
	name, _, _ := strings.Cut(out, ":")
	time.Sleep(2 * cost)
	load("workers that compute")
	for _, args := range [][]string{{"status"}, {"status", name}, {"status", name, "--json"}} {
		m, _ = l.coordinator("status", setting{}, args...)
		within(strings.Join(args, " ")+" while they compute", m)
	}
	for _, path := range []string{"", "state.json", "state.json?run=" + name, "metrics"} {
		began := time.Now()
		text := p.get(t, path)
		took := time.Since(began)
		t.Logf("the live page's /%s: %v, %d kB", path, took.Round(time.Millisecond), len(text)>>10)
		if took > answersWithin {
			t.Errorf("/%s took %v, want %v", path, took, answersWithin)
		}
	}
	p.await(t, "the end of the run", "metrics", func(text string) bool {
		return strings.Contains(text, fmt.Sprintf("agepath_cells{run=%q,status=\"ok\"} %d\n", name, cells))
	})
	m, out = l.coordinator("status", setting{}, "status", name)
	within("status of the end", m)
	if !strings.Contains(out, "finished") {
		t.Errorf("status says\n%.1000s", out)
	}
	collected, _ := l.coordinator("collect", setting{}, "collect", name, "--out", filepath.Join(t.TempDir(), "out"), "--figures", "0")
	t.Logf("collect: %.2f s, %.2f s of processor time, %.0f MB", collected.Seconds, collected.Client, collected.Memory/1e6)
	peak := p.stop(t)
	t.Logf("the live page took %v of processor time and %d MB", (p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()).Round(10*time.Millisecond), peak/1e6)
	l.coordinator("purge", setting{}, "purge", first, "--uncollected")
}

// page serves the live page as a viewer.
func (l *laboratory) page(t *testing.T) *page {
	t.Helper()
	p := &page{log: &logText{}, cmd: exec.Command(builtProgram(t, "coordinator"), "serve", "--listen", "127.0.0.1:0")}
	viewer := strings.Replace(l.url, "coordinator:coordinator@", "viewer:viewer@", 1)
	p.cmd.Env = append(os.Environ(), "AGEPATH_NATS="+viewer, "AGEPATH_INBOX_PREFIX=_INBOX_agepath_viewer", "AGEPATH_JETSTREAM_DOMAIN=agepath")
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.peak = watchMemory(p.cmd)
	await(t, "serve says its address", func() bool {
		p.address = regexp.MustCompile(`http://\S+/`).FindString(p.log.String())
		return p.address != ""
	})
	return p
}

// get returns what the page answers.
func (p *page) get(t *testing.T, path string) string {
	t.Helper()
	response, err := http.Get(p.address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("/%s: %s %v\n%s\n%s", path, response.Status, err, text, p.log)
	}
	return string(text)
}

// await waits for an answer of the page.
func (p *page) await(t *testing.T, what, path string, holds func(text string) bool) {
	t.Helper()
	began := time.Now()
	await(t, what, func() bool {
		time.Sleep(200 * time.Millisecond)
		return holds(p.get(t, path))
	})
	t.Logf("the live page has %s after %v", what, time.Since(began).Round(100*time.Millisecond))
}

// total adds the values of a metric over its labels.
func total(text, metric string) (sum int) {
	for _, match := range regexp.MustCompile(`(?m)^`+metric+`\{.*\} (\d+)$`).FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(match[1]) // digits
		sum += n
	}
	return sum
}

// TestAccounts wants simulated workers to reach through the accounts of deploy/k8s 0.9 of the cells a
// second that they reach at a server where all may do all, by the medians of five turns each.
func TestAccounts(t *testing.T) {
	needs.Patience(t, "some seconds")
	s, turns := setting{Workers: 4, Rows: 20, Cells: 200}, 1
	if needs.Long() {
		s, turns = setting{Workers: 16, Rows: 20, Cells: 10_000}, 5
	} else {
		t.Parallel()
	}
	flat, accounts := newLaboratory(t, false), newLaboratory(t, true)
	var rates [2][]float64
	for turn := range turns {
		for i, l := range []*laboratory{flat, accounts} {
			work := l.run(s)[1]
			rates[i] = append(rates[i], float64(s.Cells)/work.Seconds)
			t.Logf("turn %d: %s: %.0f cells a second, the server %.0f µs a cell, workers %.0f µs", turn, []string{"flat", "accounts"}[i],
				rates[i][turn], work.Server/float64(s.Cells)*1e6, work.Client/float64(s.Cells)*1e6)
		}
	}
	for _, list := range rates {
		slices.Sort(list)
	}
	share := rates[1][turns/2] / rates[0][turns/2]
	t.Logf("the medians are %.0f and %.0f: %.2f", rates[0][turns/2], rates[1][turns/2], share)
	if needs.Long() && share < 0.9 {
		t.Errorf("accounts reach %.2f of the cells a second, want 0.9", share)
	}
}
