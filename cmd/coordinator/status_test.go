package main

import (
	"bufio"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agepath/agepath/internal/testing/needs"
)

// TestWatchScores watches a run of which the first repeat is complete but for a command that no
// worker runs, until the scores so far come, and then to its end.
func TestWatchScores(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	grid, mended := brokenGrid(t)
	write(t, filepath.Dir(mended), filepath.Base(mended), "")
	r := startRemote(t)
	must(t, "submit", grid, "--nats", r.url)
	_, wait := r.work(t, "--drain")
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := process(ctx, "status", "--watch", "--nats", r.url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	heads := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		text.WriteString(line + "\n")
		switch {
		case strings.HasPrefix(line, "Scores of broken-") && strings.HasSuffix(line, ", 24 of 42 cells:"):
			heads++
			r.work(t, "--drain", "--allow-commands")
		case strings.HasPrefix(line, "Scores of broken-") && strings.HasSuffix(line, ", 42 of 42 cells:"):
			heads += 10
		}
	}
	if err := cmd.Wait(); err != nil || heads != 11 || strings.Count(text.String(), "Original") < 2 || !strings.Contains(text.String(), "So far") {
		t.Errorf("%v\n%s", err, text.String())
	}
}
