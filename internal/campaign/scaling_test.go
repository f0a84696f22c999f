//go:build unix

package campaign

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
)

// gauge is what the program "gauged", a server, tells of itself.
type gauge struct {
	Before, After   float64 // processor seconds, before the collection of garbage and after
	Heap            int64   // bytes in use
	Resident        int64   // bytes
	Messages, Bytes int64   // in and out
	Requests        uint64  // of the API of JetStream
	Stored          uint64  // bytes on disk
}

// profileVariable is where the program "gauged" writes the profile of its processor time.
const profileVariable = "AGEPATH_SCALING_PROFILE"

// gauged is a server that tells its address, and what it took for each line it is sent.
// Its arguments are its folder and, if it has one, its configuration.
func gauged(context.Context) error {
	options := &server.Options{JetStream: true, StoreDir: os.Args[1]}
	if len(os.Args) > 2 {
		var err error
		if options, err = server.ProcessConfigFile(os.Args[2]); err != nil {
			return err
		}
	}
	options.Host, options.Port, options.NoSigs, options.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(options)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		return errors.New("the server is not ready")
	}
	if path := os.Getenv(profileVariable); path != "" {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	fmt.Println(s.ClientURL())
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		g := gauge{Before: busy()}
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		v, err := s.Varz(nil)
		if err != nil {
			return err
		}
		j, err := s.Jsz(nil)
		if err != nil {
			return err
		}
		var size int64                                                // of pages, then what is resident
		if text, err := os.ReadFile("/proc/self/statm"); err == nil { // of Linux
			_, _ = fmt.Sscan(string(text), &size, &g.Resident)
		}
		g.Resident *= int64(os.Getpagesize())
		g.Heap, g.Messages, g.Bytes = int64(memory.HeapAlloc), v.InMsgs+v.OutMsgs, v.InBytes+v.OutBytes
		g.Requests, g.Stored, g.After = j.API.Total, j.Store, busy()
		if err := json.NewEncoder(os.Stdout).Encode(g); err != nil {
			return err
		}
	}
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// busy returns the processor time of this process in seconds.
func busy() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
}

// rowsVariable is how many knots each cell of the program "simulated" has.
const rowsVariable = "AGEPATH_TEST_ROWS"

// sleeper is the stand-in with rows, and notes when its cells began and ended.
type sleeper struct {
	standIn
	knots       experiment.Batch
	first, last atomic.Int64
}

func (k *sleeper) Compute(ctx context.Context, task *experiment.Task, data experiment.Data) (experiment.Batch, map[string]experiment.Batch, error) {
	k.first.CompareAndSwap(0, time.Now().UnixNano())
	measures, further, err := k.standIn.Compute(ctx, task, data)
	if err == nil {
		further["knots"], measures = k.knots, experiment.Batch{}
		err = measures.Append(k.Tables().Measures, standInMeasures(k.knots.Rows)...)
	}
	k.last.Store(time.Now().UnixNano())
	return measures, further, err
}

// idleTurn is how often simulated workers without work look for some, which makes what that
// takes large enough to be measured.
const idleTurn = 20 * time.Millisecond

// simulated is workers of one slot each, in one process, whose cells sleep. It tells how
// long they took from the first cell to the last. Its arguments are the server's URL, the
// number of workers and how long they stay, 0s for the end of the queue.
func simulated(ctx context.Context) error {
	workers, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	stay, err := time.ParseDuration(os.Args[3])
	if err != nil {
		return err
	}
	if stay > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, stay)
		defer cancel()
	}
	kind := &sleeper{}
	rows, _ := strconv.Atoi(os.Getenv(rowsVariable))
	if kind.knots, err = standInKnots(max(rows, 1)); err != nil {
		return err
	}
	var group errgroup.Group
	for range workers {
		group.Go(func() error {
			q, err := connectSimulated(ctx)
			if err != nil {
				return err
			}
			defer q.Close()
			config := queue.WorkerConfig{Drain: stay == 0, Idle: time.Second}
			if stay > 0 {
				config.Idle = idleTurn
			}
			return simulatedSlot(ctx, q, config, kind)
		})
	}
	err = group.Wait()
	fmt.Println(float64(kind.last.Load()-kind.first.Load()) / 1e9)
	return err
}

// connectSimulated connects a simulated worker to the server that the first argument names. A user's
// name in there is that of an account of deploy/k8s.
func connectSimulated(ctx context.Context) (*queue.Queue, error) {
	config := queue.Config{URL: os.Args[1]}
	if strings.Contains(config.URL, "worker:") {
		config.Domain, config.InboxPrefix = "agepath", "_INBOX_agepath_worker"
	}
	return queue.Connect(ctx, config)
}

// simulatedSlot asks of the server what a worker of one slot does.
func simulatedSlot(ctx context.Context, q *queue.Queue, config queue.WorkerConfig, kind experiment.Kind) error {
	puller, err := q.Worker(config)
	if err != nil {
		return err
	}
	defer puller.Close()
	telling, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // ends with the slot
		p := queue.Presence{
			Name: config.Name, Slots: 1, State: queue.Working, Started: time.Now().UTC(),
			Computes: append([]experiment.Need{{Name: kind.Name()}}, kind.Abilities()...),
		}
		for err := error(nil); err == nil; err = queue.Sleep(telling, queue.PresenceEvery) {
			if p.At = time.Now().UTC(); q.Announce(&p) != nil {
				return
			}
		}
	}()
	for {
		d, err := puller.Pull(ctx)
		empty := new(queue.EmptyError)
		switch {
		case ctx.Err() != nil:
			return nil // no task is left for a worker that stays
		case errors.As(err, &empty):
			if empty.InFlight == 0 {
				return nil
			}
			_ = queue.Sleep(ctx, 20*time.Millisecond)
			continue
		case err != nil:
			return err
		}
		d.Begin()
		if err := d.Done(ctx, run.Compute(ctx, []experiment.Kind{kind}, &d.Task, nil)); err != nil {
			return err
		}
	}
}

// setting is what simulated workers do.
type setting struct {
	Workers int
	Sleep   time.Duration // of a cell
	Rows    int           // of knots of a cell
	Cells   int
}

// sample is what was measured in a phase of a setting.
type sample struct {
	Phase string // submit, idle, work or gather
	setting
	Seconds        float64 // from the first to the last, while workers work
	Server, Client float64 // processor seconds
	Requests       float64 // of the API of JetStream
	Messages       float64 // in and out of the server
	Bytes          float64 // likewise
	Heap, Stored   float64 // bytes that the server has more than before, in memory and on disk
	Memory         float64 // most bytes that the client had
}

// numbers are the quantities of a sample.
func (s *sample) numbers() []*float64 {
	return []*float64{&s.Seconds, &s.Server, &s.Client, &s.Requests, &s.Messages, &s.Bytes, &s.Heap, &s.Stored, &s.Memory}
}

// medians returns the samples of rounds of the same settings, with the median of each number.
func medians(rounds [][]sample) []sample {
	middle := slices.Clone(rounds[0])
	for i := range middle {
		for j, to := range middle[i].numbers() {
			var all []float64
			for _, round := range rounds {
				all = append(all, *round[i].numbers()[j])
			}
			slices.Sort(all)
			*to = all[len(all)/2]
		}
	}
	return middle
}

// laboratory is a gauged server and what is measured on it.
type laboratory struct {
	t       *testing.T
	url     string // as a coordinator
	workers string // the URL as a worker
	in      io.Writer
	answers *bufio.Reader
}

// newLaboratory starts a server with the accounts of deploy/k8s, or one in which all may do all.
func newLaboratory(t *testing.T, accounts bool) *laboratory {
	t.Helper()
	g := &guarded{t: t, dir: t.TempDir()}
	args := []string{g.dir}
	if accounts {
		args = append(args, g.configure())
	}
	cmd := itself(t, "gauged", args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended: %v", err)
		}
	})
	l := &laboratory{t: t, in: in, answers: bufio.NewReader(out)}
	l.url = strings.TrimSpace(l.line())
	l.workers = l.url
	if accounts {
		l.workers = strings.Replace(l.url, "nats://", "nats://worker:worker@", 1)
		l.url = strings.Replace(l.url, "nats://", "nats://coordinator:coordinator@", 1)
	}
	return l
}

func (l *laboratory) line() string {
	l.t.Helper()
	line, err := l.answers.ReadString('\n')
	if err != nil {
		l.t.Fatalf("the server says nothing: %v", err)
	}
	return line
}

func (l *laboratory) gauge() (g gauge) {
	l.t.Helper()
	if _, err := fmt.Fprintln(l.in); err != nil {
		l.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(l.line()), &g); err != nil {
		l.t.Fatal(err)
	}
	return g
}

// measure runs a command between two looks at the server.
func (l *laboratory) measure(phase string, s setting, cmd *exec.Cmd) (sample, string) {
	l.t.Helper()
	cmd.Stderr = os.Stderr
	before, began := l.gauge(), time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if err != nil {
		l.t.Fatalf("%s: %v\n%s", phase, err, out)
	}
	after := l.gauge()
	return sample{
		Phase: phase, setting: s, Seconds: took.Seconds(),
		Server: after.Before - before.After, Client: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(),
		Requests: float64(after.Requests - before.Requests), Messages: float64(after.Messages - before.Messages),
		Bytes: float64(after.Bytes - before.Bytes), Heap: float64(after.Heap - before.Heap),
		Stored: float64(after.Stored) - float64(before.Stored), Memory: float64(peak(cmd)),
	}, string(out)
}

// coordinator runs the coordinator.
func (l *laboratory) coordinator(phase string, s setting, args ...string) (sample, string) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), builtProgram(l.t, "coordinator"), args...)
	cmd.Env = append(cmd.Environ(), "AGEPATH_NATS="+l.url)
	if l.url != l.workers {
		cmd.Env = append(cmd.Env, "AGEPATH_INBOX_PREFIX=_INBOX_agepath_coordinator")
	}
	return l.measure(phase, s, cmd)
}

// simulate runs simulated workers.
func (l *laboratory) simulate(phase string, s setting, stay time.Duration) sample {
	l.t.Helper()
	cmd := itself(l.t, "simulated", l.workers, strconv.Itoa(s.Workers), stay.String())
	cmd.Env = append(cmd.Env, costVariable+"="+s.Sleep.String(), rowsVariable+"="+strconv.Itoa(s.Rows))
	m, out := l.measure(phase, s, cmd)
	if stay > 0 {
		m.Seconds = stay.Seconds()
		return m
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if err != nil {
		l.t.Fatal(err)
	}
	m.Seconds = seconds
	return m
}

// run submits, computes and gathers the cells of a setting. Without cells, workers find
// nothing to do for a while; without workers, nobody computes.
func (l *laboratory) run(s setting) (list []sample) {
	l.t.Helper()
	const alphas, idle = 100, 3 * time.Second
	grid := write(l.t, fmt.Sprintf("scaling-%d", s.Cells), alphas, max(s.Cells/alphas, 1))
	submitted, out := l.coordinator("submit", s, "submit", grid, "--set", "keep.knots=true")
	name, _, _ := strings.Cut(out, ":")
	switch {
	case s.Cells == 0:
		l.simulate("", setting{Workers: 8}, 0)
		list = append(list, l.simulate("idle", s, idle))
	case s.Workers == 0:
		submitted.Phase = "queue"
		list = append(list, submitted)
		l.coordinator("", s, "cancel", name)
	default:
		worked := l.simulate("work", s, 0)
		gathered, _ := l.coordinator("gather", s, "collect", name, "--out", filepath.Join(l.t.TempDir(), "out"))
		list = append(list, submitted, worked, gathered)
	}
	l.coordinator("", s, "purge", name)
	return list
}

// TestLaboratory has few simulated workers compute few cells: what TestScaling measures with
// must work.
func TestLaboratory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	s := setting{Workers: 2, Sleep: time.Millisecond, Rows: 3, Cells: 100}
	list := newLaboratory(t, false).run(s)
	for i, phase := range []string{"submit", "work", "gather"} {
		if m := list[i]; m.Phase != phase || m.Seconds <= 0 || m.Server <= 0 || m.Client <= 0 || m.Bytes < 60*300 || m.Messages < 100 || m.Requests == 0 {
			t.Errorf("%s: %+v", phase, m)
		}
	}
}
