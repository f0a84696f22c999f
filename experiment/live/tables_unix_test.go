//go:build unix

package live

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agepath/agepath/internal/disk"
)

// TestTablesOfAStalledFolder has a named pipe instead of a table, and a folder whose disk does not
// answer: neither holds up another folder.
func TestTablesOfAStalledFolder(t *testing.T) {
	t.Parallel()
	good, piped := newGoing(t), newGoing(t)
	for _, g := range []*going{good, piped} {
		g.add(2)
		if err := g.store.Compact(t.Context(), g.order); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(piped.dir, "cells.arrow")
	if err := disk.RemoveIfThere(disk.OS{}, path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	tables := NewTables(map[string]string{"good": good.dir, "piped": piped.dir, "stalled": t.TempDir()}, func(error) {})
	server := httptest.NewServer(tables.Handler())
	defer server.Close()
	tables.lock("stalled").Lock() // as while its disk is read
	defer tables.lock("stalled").Unlock()
	if answer, body := ask(t, http.MethodGet, server.URL+"/runs/piped/cells.arrow"); answer.StatusCode == http.StatusOK || !strings.Contains(string(body), "not a regular file") {
		t.Errorf("a named pipe: %s: %s", answer.Status, body)
	}
	answer, body := ask(t, http.MethodGet, server.URL+"/runs/good/cells.arrow")
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", answer.Status, body)
	}
	wantCells(t, frame(t, body), 2)
}
