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
	// tablesEvery is the minimum time from the start, or from one table, to the next.
	tablesEvery = 30 * time.Second
	interimRows = 15
)

type standings struct {
	app   *app
	shown *progress
	dir   string

	all  sync.WaitGroup
	busy atomic.Bool
	last time.Time // last table or start of the run; owned by the goroutine while busy
}

// milestone shows the scores, unless a table is being made or was shown recently.
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
		var text strings.Builder
		answer, err := report.LoadAnswer(ctx, t.dir)
		if err == nil {
			err = report.Text{MaxRows: interimRows}.WriteAnswer(&text, answer)
		}
		t.last = time.Now()
		if err != nil { // the files may be sorted meanwhile; the final report follows
			t.app.Log.Debug("the scores so far", "error", err)
			return
		}
		t.shown.write(fmt.Sprintf("\nScores so far, %s:\n\n%s\n", t.last.Format(time.TimeOnly), &text))
	})
}
