package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sys/unix"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/results"
)

// mortalDisk is a file system in a file. A copy of the file has what was synced, and not what
// the system still holds in memory: a power cut leaves such a disk.
type mortalDisk struct {
	t     *testing.T
	image string
	dir   string // where it is mounted
}

func newMortalDisk(t *testing.T) *mortalDisk {
	t.Helper()
	d := &mortalDisk{t: t, image: filepath.Join(t.TempDir(), "disk"), dir: t.TempDir()}
	err := os.WriteFile(d.image, nil, 0o600)
	if err == nil {
		err = os.Truncate(d.image, 512<<20)
	}
	if err == nil {
		_, err = system("mkfs.ext4", "-q", d.image)
	}
	if err == nil {
		err = d.mount()
	}
	if err != nil {
		needs.Lacking(t, "a disk whose power is cut: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(d.dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmounting %s: %v", d.dir, err)
		}
	})
	return d
}

// mount mounts the disk with a journal that commits at syncs alone, for ten minutes.
func (d *mortalDisk) mount() error {
	_, err := system("mount", "-o", "loop,commit=600", d.image, d.dir)
	return err
}

// cut cuts the power while processes run: they stop where they are, the disk becomes what was
// synced by then, and they end.
func (d *mortalDisk) cut(processes ...*exec.Cmd) {
	d.t.Helper()
	for _, cmd := range processes {
		d.must(syscall.Kill(-cmd.Process.Pid, syscall.SIGSTOP))
	}
	time.Sleep(100 * time.Millisecond) // system calls under way end
	after := d.image + "'"
	_, err := system("cp", "--sparse=always", d.image, after)
	d.must(err)
	for _, cmd := range processes {
		d.must(syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
		_ = cmd.Wait() // it was killed
	}
	await(d.t, "other processes of their groups have ended too", func() bool {
		err := unix.Unmount(d.dir, 0)
		if !errors.Is(err, unix.EBUSY) {
			d.must(err)
		}
		return err == nil
	})
	d.must(os.Rename(after, d.image))
	d.must(d.mount())
}

func (d *mortalDisk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// startGroup starts a process in a group of its own.
func startGroup(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
}

// deployedSync is the line of the deployed servers' configuration about syncing.
func deployedSync(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/k8s/nats/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^ *sync_interval:.*$`).Find(text)
	if line == nil {
		t.Fatal("deploy/k8s/nats/nats.conf has no sync_interval")
	}
	return string(line)
}

// acknowledge stores results and tasks with the server until the power is cut, and returns the
// cells of those that the server had acknowledged before.
func acknowledge(t *testing.T, d *mortalDisk, url string, random *rand.Rand, round int, process *exec.Cmd) (cells []string) {
	t.Helper()
	q, err := queue.Connect(t.Context(), queue.Config{URL: url, ConnectWait: time.Minute})
	if err == nil {
		err = q.EnsureStreams(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var (
		mu    sync.Mutex
		ended = make(chan struct{})
	)
	go func() {
		defer close(ended)
		for i := 0; ; {
			writer := q.Results(ctx, func(string) uint64 { return 0 })
			var batch []string
			for range 1 + random.IntN(8) {
				cell := fmt.Sprintf("r%02d-%06d", round, i)
				i++
				if err := writer.Put(&experiment.Outcome{Run: "run", Cell: cell, Status: experiment.OK}); err != nil {
					return
				}
				batch = append(batch, cell)
			}
			if err := writer.Drain(); err != nil {
				return
			}
			mu.Lock()
			cells = append(cells, batch...)
			mu.Unlock()
		}
	}()
	cellOf := func(i int) string { return fmt.Sprintf("t%02d-%06d", round, i) }
	published := make(chan int)
	var sent atomic.Int64
	go func() {
		n, _, _ := q.Publish(ctx, func(yield func(experiment.Task, error) bool) { // it ends with ctx
			for i := 0; yield(experiment.Task{Run: "tasks", Cell: cellOf(i), Kind: "test"}, nil); i++ {
				sent.Add(1)
			}
		})
		published <- n
	}()
	await(t, "tasks are stored in groups", func() bool { return sent.Load() > 600 })
	time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond)
	mu.Lock()
	sure := slices.Clip(cells)
	mu.Unlock()
	d.cut(process)
	cancel()
	<-ended
	for i := range <-published { // in order
		sure = append(sure, cellOf(i))
	}
	return sure
}

// stored returns the cells of the results and tasks that a server has.
func stored(t *testing.T, url string) map[string]bool {
	t.Helper()
	q, err := queue.Connect(t.Context(), queue.Config{URL: url, ConnectWait: time.Minute})
	if err == nil {
		err = q.EnsureStreams(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	cells := map[string]bool{}
	for outcome, err := range q.Sift(t.Context(), "run", false, nil) {
		if err != nil {
			t.Fatal(err)
		}
		cells[outcome.Cell] = true
	}
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), "AGEPATH_TASKS")
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter("agepath.task.tasks.*"))
	if err != nil {
		t.Fatal(err)
	}
	for subject := range info.State.Subjects {
		cells[strings.TrimPrefix(subject, "agepath.task.tasks.")] = true
	}
	return cells
}

// cuts is how often the power is cut.
func cuts() int {
	if needs.Long() {
		return 20
	}
	return 2
}

// TestPowerCuts wants every result and task that a server acknowledged to survive power cuts where
// the server syncs as the deployed one does, and sees that without syncing they do not.
func TestPowerCuts(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	for _, server := range []struct {
		name, sync string
		cuts       int
	}{{"deployed", deployedSync(t), cuts()}, {"default", "", 1}} {
		t.Run(server.name, func(t *testing.T) {
			d := newMortalDisk(t)
			random := rand.New(rand.NewPCG(seed(t), 38))
			listen := needs.FreePorts(t, 1)[0]
			config := filepath.Join(t.TempDir(), "nats.conf")
			text := fmt.Sprintf("listen: %q\njetstream {\nstore_dir: %q\n%s\n}\n", listen, filepath.Join(d.dir, "store"), server.sync)
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			url := "nats://" + listen
			start := func() *exec.Cmd {
				cmd := itself(t, "configured", config)
				startGroup(t, cmd)
				return cmd
			}
			var acknowledged []string
			for round := range server.cuts {
				acknowledged = append(acknowledged, acknowledge(t, d, url, random, round, start())...)
			}
			process := start()
			have := stored(t, url)
			lost := 0
			for _, cell := range acknowledged {
				if !have[cell] {
					lost++
				}
			}
			t.Logf("%d cuts, %d results and tasks acknowledged, %d lost", server.cuts, len(acknowledged), lost)
			if len(acknowledged) == 0 || (lost > 0) != (server.sync == "") {
				t.Errorf("%d of %d acknowledged results and tasks are lost", lost, len(acknowledged))
			}
			d.cut(process)
		})
	}
}

// TestPowerCutEmbedded cuts the power under `coordinator run` with its embedded server, again
// and again. What is in the folder after a cut must be rows of an undisturbed run, and the
// run must end with exactly these.
func TestPowerCutEmbedded(t *testing.T) {
	needs.Patience(t, "a minute")
	t.Parallel()
	sweep := sweep{name: "paths", text: fmt.Sprintf(grid, 30), cells: 30 * (20*2 + 1)}
	sweep.compute(t, t.TempDir())
	d := newMortalDisk(t)
	random := rand.New(rand.NewPCG(seed(t), 39))
	out := filepath.Join(d.dir, "out")
	run := func() *exec.Cmd {
		cmd := exec.Command(builtProgram(t, "coordinator"), "run", sweep.grid, "--out", out, "--figures", "0")
		cmd.Stderr = os.Stderr
		return cmd
	}
	for range cuts() {
		cmd := run()
		startGroup(t, cmd)
		time.Sleep(300*time.Millisecond + time.Duration(random.IntN(1200))*time.Millisecond)
		d.cut(cmd)
		kept := map[string]string{}
		_, err := results.EachNewest(t.Context(), out, "cells", nil, func(frame *results.Frame) error {
			addNumbers(t, kept, frame)
			return nil
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) { // it may be cut before the first sync
			t.Fatal(err)
		}
		for cell, row := range kept {
			if row != sweep.want[cell] {
				t.Errorf("cell %s after a cut:\n%s\nwant\n%s", cell, row, sweep.want[cell])
			}
		}
		t.Logf("%d of %d cells are on the disk", len(kept), sweep.cells)
	}
	cmd := run()
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	wantSame(t, numbers(t, out), sweep.want)
}
