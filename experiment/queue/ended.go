package queue

import "context"

// RemoveEnded removes the tasks of a run that have a result and returns their number. They are
// being removed, or stuck: a cluster that lost nodes can keep an acknowledged task that no worker
// gets (seen with nats-server 2.9.10, three replicas) and refuse to queue its cell again.
func (q *Queue) RemoveEnded(ctx context.Context, run string) (removed int, err error) {
	if err := validRun(run); err != nil {
		return 0, err
	}
	subjects, err := q.tasks.of(ctx, run, "*")
	if err != nil || len(subjects) == 0 {
		return 0, err
	}
	for subject := range subjects {
		msg, err := q.last(ctx, tasksStream, subject)
		if err != nil {
			return removed, err
		}
		if msg == nil {
			continue
		}
		has, err := q.results.has(ctx, run, cellOf(subject), numberOf(msg.Header))
		if err != nil {
			return removed, err
		}
		if !has {
			continue
		}
		if err := q.remove(ctx, tasksStream, subject, msg.Sequence); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
