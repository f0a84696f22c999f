package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// endsFull is how long a run may go on without room on its disk.
const endsFull = 2 * time.Minute

// wantFull wants a run that ended for want of room on a disk.
func wantFull(t *testing.T, code int, message string, took time.Duration) {
	t.Helper()
	if code != command.ExitFailed || !strings.Contains(message, "make room") || !strings.Contains(message, "run the same command again") {
		t.Fatalf("exit status %d: %s", code, message)
	}
	if took > endsFull {
		t.Errorf("the run ended after %v without room", took)
	}
}

// A run with its own server ends in time where its disk is too small for that,
// and is completed when there is room.
func TestSmallDisk(t *testing.T) {
	needs.Patience(t, "10 s")
	t.Parallel()
	sizes := []int{100, 1500}
	if needs.Long() {
		sizes = []int{100, 200, 300, 1000, 1500}
	}
	for _, kilobytes := range sizes {
		disk, err := needs.SmallDisk(t, kilobytes<<10)
		if err != nil {
			needs.Lacking(t, "%v", err)
		}
		arguments := []string{
			"run", write(t, t.TempDir(), "grid.yaml", allMethods), "--out", filepath.Join(disk, "out"), "--figures", "0", "--workers", "1",
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*endsFull)
		start := time.Now()
		o := doWith(t, ctx, nil, arguments...)
		cancel()
		t.Logf("%d KiB: after %v exit status %d: %s", kilobytes, time.Since(start), o.code, o.err)
		if kilobytes < 1500 || o.code != command.ExitDone {
			wantFull(t, o.code, o.err, time.Since(start))
		}
		needs.ResizeDisk(t, disk, 64<<20)
		must(t, arguments...)
		wantNoRemains(t, filepath.Join(disk, "out"))
	}
}

// A run with its own server ends in time when others fill its disk, or take its inodes, keeps
// what it has, and is completed when there is room.
func TestDiskFillsUp(t *testing.T) {
	needs.Patience(t, "6 s")
	t.Parallel()
	for what, fill := range map[string]func(t *testing.T, dir string) string{"KiB": fillDisk, "inodes": fillNames} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			fillsUp(t, what, fill)
		})
	}
}

func fillsUp(t *testing.T, what string, fill func(t *testing.T, dir string) string) {
	disk, err := needs.SmallDisk(t, 32<<20)
	if err != nil {
		needs.Lacking(t, "%v", err)
	}
	out := filepath.Join(disk, "out")
	arguments := append(longGrid(t, t.TempDir(), out), "--workers", "1")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	run := process(ctx, arguments...)
	var message strings.Builder
	run.Stderr = &message
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }() // ends with the process, at the latest with ctx
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for begun := false; !begun; {
		select {
		case <-ticker.C:
		case err := <-ended:
			t.Fatalf("the run ended: %v: %s", err, message.String())
		}
		streams, err := filepath.Glob(filepath.Join(out, "cells.*.arrows"))
		if err != nil {
			t.Fatal(err)
		}
		begun = len(streams) > 0
	}
	filler := fill(t, disk)
	start := time.Now()
	if err := <-ended; err == nil {
		t.Fatal("the run was done before the disk was full")
	}
	wantFull(t, run.ProcessState.ExitCode(), message.String(), time.Since(start))
	if text := message.String(); !strings.Contains(text, what+" are free") && !strings.Contains(text, "df -i") { // the latter where the cells were computed before the server looked
		t.Errorf("the run said %s", message.String())
	}
	o := do(t, arguments...)
	wantFull(t, o.code, o.err, 0)
	if err := os.RemoveAll(filler); err != nil {
		t.Fatal(err)
	}
	must(t, arguments...)
	wantNoRemains(t, out)
	undisturbed := filepath.Join(t.TempDir(), "undisturbed")
	must(t, longGrid(t, t.TempDir(), undisturbed)...)
	wantSameNumbers(t, numbers(t, undisturbed), numbers(t, out))
}

// TestFileSizeLimit has files that may not grow, as quotas have: those of the folder, of the server
// and of results end a run alike, in time.
func TestFileSizeLimit(t *testing.T) {
	needs.Patience(t, "5 s")
	t.Parallel()
	shell := needs.Program(t, "a limit of files' sizes", "sh")
	for _, blocks := range []string{"4", "64", "400"} {
		t.Run(blocks, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			arguments := append(longGrid(t, t.TempDir(), out), "--workers", "1")
			ctx, cancel := context.WithTimeout(t.Context(), 2*endsFull)
			defer cancel()
			run := process(ctx, arguments...)
			run.Args = append([]string{shell, "-c", `ulimit -f "$0"; exec "$@"`, blocks, run.Path}, run.Args[1:]...)
			run.Path = shell
			start := time.Now()
			said, err := run.CombinedOutput()
			if err == nil {
				t.Fatal("the run ended well")
			}
			wantFull(t, run.ProcessState.ExitCode(), string(said), time.Since(start))
			must(t, arguments...)
			wantNoRemains(t, out)
		})
	}
}

// fillNames fills the disk of a folder with as many files as it takes.
func fillNames(t *testing.T, dir string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "filler")
	err := os.Mkdir(path, 0o700)
	for i := 0; err == nil; i++ {
		err = os.WriteFile(filepath.Join(path, strconv.Itoa(i)), nil, 0o600)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return path
}

// fillDisk fills the disk of a folder by a file.
func fillDisk(t *testing.T, dir string) (path string) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zeros, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zeros.Close()
	if _, err := io.Copy(file, zeros); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return file.Name()
}
