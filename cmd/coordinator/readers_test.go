package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestReaders computes a grid three times alone and three times while 100 readers ask for its
// cells each second. The readers may add 5 % to the run's processor time, answers included.
func TestReaders(t *testing.T) {
	if !needs.Long() {
		t.Skip("takes minutes: AGEPATH_LONG=1")
	}
	dir, address := t.TempDir(), needs.FreePorts(t, 1)[0]
	grid := write(t, dir, "grid.yaml", `name: read
seed: 3
repeats: 800
data: [diabetes]
models: [{lasso: {alpha: 0.01}}]
noise: [{kind: gaussian, levels: [0, 0.3]}]
regularizers: [linear]
methods: [original, acs, gaga]
age: {min: 0.1, max: 5}
`)
	compute := func(name string, readers int) (seconds float64) {
		t.Helper()
		began := time.Now()
		cmd := process(t.Context(), "run", grid, "--out", filepath.Join(dir, name), "--workers", "1", "--figures", "0", "--no-reuse", "--serve="+address)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var all sync.WaitGroup
		var asked, files atomic.Int64
		for k := range readers {
			all.Go(func() {
				time.Sleep(time.Duration(k) * time.Second / time.Duration(readers))
				readCells(ctx, "http://"+address+"/runs", &asked, &files)
			})
		}
		err := cmd.Wait()
		stop()
		all.Wait()
		if err != nil || files.Load() < int64(readers) {
			t.Fatalf("%v; %d readers got %d files", err, readers, files.Load())
		}
		used := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		t.Logf("%s: %.2f s of processor time in %.2f s, %d requests, %d files", name, used, time.Since(began).Seconds(), asked.Load(), files.Load())
		return used
	}
	var ratios []float64
	for pair := range 3 {
		alone := compute(fmt.Sprintf("alone-%d", pair), 0)
		ratios = append(ratios, compute(fmt.Sprintf("read-%d", pair), 100)/alone)
	}
	slices.Sort(ratios)
	t.Logf("with 100 readers a run takes %.3f of the processor time that it takes alone", ratios)
	if ratios[1] > 1.05 {
		t.Errorf("the median of %.3f is above 1.05", ratios)
	}
}

// readCells asks for the cells of the first of the runs at an address each second, and gets the
// file when it has changed.
func readCells(ctx context.Context, address string, asked, files *atomic.Int64) {
	var index struct{ Runs []string }
	for etag := ""; ctx.Err() == nil; {
		url := address
		if len(index.Runs) > 0 {
			url += "/" + index.Runs[0] + "/cells.parquet"
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			panic(err)
		}
		request.Header.Set("If-None-Match", etag)
		if answer, err := http.DefaultClient.Do(request); err == nil { // else the run begins or ends
			asked.Add(1)
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			switch {
			case err != nil || answer.StatusCode != http.StatusOK:
			case url == address:
				_ = json.Unmarshal(body, &index) // empty at first
			default:
				files.Add(1)
				etag = answer.Header.Get("ETag")
			}
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}
