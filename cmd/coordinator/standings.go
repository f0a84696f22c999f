package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agepath/agepath/results/report"
)

const (
	// tablesEvery is the minimum time from the start, or from one table, to the next: a short run
	// shows only its end.
	tablesEvery = 30 * time.Second
	// interimRows is how many rows of a table are shown of a run that goes on.
	interimRows = 15
)

type standings struct {
	app   *app
	shown *progress
	dir   string // of the run

	all  sync.WaitGroup
	busy atomic.Bool
	last time.Time // when one was shown or the run began; while busy the goroutine's
}

// milestone shows the scores, unless the last table is being made or was shown just now.
func (t *standings) milestone(ctx context.Context) {
	if !t.busy.CompareAndSwap(false, true) {
		return
	}
	if time.Since(t.last) < tablesEvery {
		t.busy.Store(false)
		return
	}
	t.all.Go(func() { // ends with the report
		defer t.busy.Store(false)
		text, err := scoresSoFar(ctx, t.dir)
		t.last = time.Now()
		if err != nil { // the files may be sorted meanwhile; the run's own report comes
			t.app.Log.Debug("the scores so far", "error", err)
			return
		}
		t.shown.write(fmt.Sprintf("\nScores so far, %s:\n\n%s\n", t.last.Format(time.TimeOnly), text))
	})
}

// scoresSoFar returns what a report of a folder says first, whose run may go on, as text.
func scoresSoFar(ctx context.Context, dir string) (string, error) {
	answer, err := report.LoadAnswer(ctx, dir)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = report.Text{MaxRows: interimRows}.WriteAnswer(&b, answer)
	return b.String(), err
}
