//go:build unix

package campaign

import (
	"context"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// wantNothingHeld wants an empty task stream; otherwise it logs what is there, with the result of each task and its
// run's consumer.
func (d *deployment) wantNothingHeld(ctx context.Context) {
	t := d.t
	t.Helper()
	nc, err := nats.Connect("nats://" + strings.Join(d.addresses, ",nats://"))
	if err != nil {
		t.Error(err)
		return
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Error(err)
		return
	}
	tasks, err := js.Stream(ctx, "AGEPATH_TASKS")
	if err != nil {
		t.Error(err)
		return
	}
	info, err := tasks.Info(ctx, jetstream.WithSubjectFilter(">"))
	if err != nil {
		t.Error(err)
		return
	}
	delete(info.State.Subjects, "agepath.task.$.anchor")
	if len(info.State.Subjects) == 0 {
		return
	}
	t.Errorf("messages are left in the task stream: %+v", info.State)
	if info.Cluster != nil {
		t.Logf("leader %s, followers:", info.Cluster.Leader)
		for _, peer := range info.Cluster.Replicas {
			t.Logf("  %+v", *peer)
		}
	}
	results, err := js.Stream(ctx, "AGEPATH_RESULTS")
	if err != nil {
		t.Error(err)
		return
	}
	for at := info.State.FirstSeq; at <= info.State.LastSeq; at++ {
		task, err := tasks.GetMsg(ctx, at)
		if err != nil {
			continue // gone
		}
		result, err := results.GetLastMsgForSubject(ctx, strings.Replace(task.Subject, ".task.", ".result.", 1))
		if err != nil {
			t.Logf("%d %s of %v: no result: %v", at, task.Subject, task.Time, err)
			continue
		}
		t.Logf("%d %s of %v: result %d of %v: %v", at, task.Subject, task.Time, result.Sequence, result.Time, result.Header)
	}
	consumers := tasks.ListConsumers(ctx)
	for c := range consumers.Info() {
		t.Logf("consumer %s: delivered %+v, ack floor %+v, %d to be acknowledged, %d redelivered, %d pending", c.Name, c.Delivered, c.AckFloor, c.NumAckPending, c.NumRedelivered, c.NumPending)
	}
}
