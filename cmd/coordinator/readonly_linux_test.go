package main

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/testing/needs"
)

// TestRemediesOfReadOnlyDisk mounts a disk for writing, and chooses another folder, as a run into a disk that is mounted for
// reading advises.
func TestRemediesOfReadOnlyDisk(t *testing.T) {
	t.Parallel()
	disk, err := needs.SmallDisk(t, 16<<20)
	if err != nil {
		needs.Lacking(t, "%v", err)
	}
	dir := t.TempDir()
	grid := write(t, dir, "grid.yaml", tinyGrid)
	run := func(out string) []string { return []string{"run", grid, "--out", out, "--figures", "0"} }
	mount := func(flags uintptr) {
		t.Helper()
		if err := unix.Mount("tmpfs", disk, "tmpfs", unix.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, out := range []string{"new", "old"} {
		out = filepath.Join(disk, out)
		if filepath.Base(out) == "old" {
			must(t, run(out)...)
		}
		mount(unix.MS_RDONLY)
		more := append(run(out), "--set", "models=[{ridge: {alpha: 1}}]")
		if o := do(t, more...); o.code == command.ExitDone || !strings.Contains(o.err, "mount the disk for writing, or choose another folder") {
			t.Errorf("exit status %d: %s", o.code, o.err)
		}
		must(t, run(filepath.Join(dir, filepath.Base(out)))...)
		mount(0)
		must(t, more...)
	}
}
