//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agepath/agepath/internal/command"
)

// TestNamedPipe has a named pipe instead of a table: no command waits for its writer.
func TestNamedPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, other := filepath.Join(dir, "out"), filepath.Join(dir, "other")
	must(t, "run", write(t, dir, "grid.yaml", comparedGrid), "--out", out, "--workers", "1", "--figures", "0")
	if err := os.CopyFS(other, os.DirFS(out)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(out, "cells.arrow")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", out}, {"report", out}, {"compare", other, out}, {"crate", out}} {
		if o := do(t, args...); o.code == command.ExitDone || !strings.Contains(o.out+o.err, "not a regular file") {
			t.Errorf("%s: exit status %d: %s%s", args[0], o.code, o.out, o.err)
		}
	}
}
