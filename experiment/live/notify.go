package live

import (
	"context"
	"time"

	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/internal/notify"
)

// Notify returns a [Config.Looked] that passes runs and workers to a notifier.
func Notify(n *notify.Notifier) func(*State) {
	return func(state *State) {
		n.Runs(lists.Map(state.Runs, func(r *Run) notify.Run {
			return notify.Run{
				Name: r.Name, Phase: r.Phase, Cells: r.Cells, Ended: r.ended(), Incomplete: r.Incomplete, Failed: r.Failed,
				Over: r.Phase == Finished || r.Phase == Cancelled, Reasons: r.Reasons,
			}
		})...)
		n.Workers(notedWorkers(state.Workers))
	}
}

func notedWorkers(workers []Worker) []notify.Worker {
	return lists.Map(workers, func(w Worker) notify.Worker {
		return notify.Worker{Name: w.Name, Silent: w.Silent, Running: len(w.Running), Lost: w.State == queue.Lost}
	})
}

// NotifyWorkers passes the workers of a queue to a notifier until ctx ends. Errors are reported.
func NotifyWorkers(ctx context.Context, q *queue.Queue, n *notify.Notifier, report func(error)) {
	ticker := time.NewTicker(queue.PresenceEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := within(ctx, func(ctx context.Context) error {
			workers, _, err := q.Workers(ctx)
			if err == nil {
				n.Workers(notedWorkers(DescribeWorkers(workers, time.Now())))
			}
			return err
		})
		if err != nil && ctx.Err() == nil {
			report(err)
		}
	}
}
