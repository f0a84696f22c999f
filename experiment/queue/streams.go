package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// streamConfigs sets all that the package relies on, nothing unknown to servers before 2.9, and no
// message ids, whose de-duplication would drop a cell that is put back. Groups of tasks (2.12) are
// optional.
func streamConfigs(replicas int) []jetstream.StreamConfig {
	tasks := streamConfig(tasksStream, taskTopic, "agepath: tasks queued and in flight", replicas)
	tasks.Retention = jetstream.WorkQueuePolicy
	tasks.Discard = jetstream.DiscardNew
	tasks.DiscardNewPerSubject = true
	workers := streamConfig(workersStream, workerTopic, "agepath: what each worker does", replicas)
	workers.Subjects = []string{string(workerTopic) + "*"}
	workers.Storage = jetstream.MemoryStorage
	workers.MaxAge = presenceAge
	quarantine := streamConfig(quarantineStream, quarantineTopic, "agepath: messages that did not pass", replicas)
	quarantine.MaxMsgsPerSubject, quarantine.MaxMsgs, quarantine.MaxBytes = -1, quarantineMessages, quarantineBytes
	return []jetstream.StreamConfig{
		tasks,
		workers,
		streamConfig(resultsStream, resultTopic, "agepath: the newest outcome of each cell", replicas),
		streamConfig(attemptsStream, attemptTopic, "agepath: how the deliveries of each cell ended", replicas),
		streamConfig(deadStream, deadTopic, "agepath: tasks given up", replicas),
		quarantine,
	}
}

// streamConfig is a stream that keeps the newest message of each cell.
func streamConfig(name string, topic topic, description string, replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              name,
		Subjects:          []string{topic.all()},
		Description:       description,
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardOld,
		Storage:           jetstream.FileStorage,
		MaxMsgsPerSubject: 1,
		MaxMsgs:           -1,
		MaxBytes:          -1,
		MaxMsgSize:        -1,
		MaxConsumers:      -1,
		Replicas:          replicas,
	}
}

const objectsStream = "OBJ_"

// bucketStreams are the object stores as the client library makes them. Only coordinators store
// data sets: in a stream that allows rollup, workers could remove all objects.
func bucketStreams(replicas int) []jetstream.StreamConfig {
	data := bucketStream(dataBucket, "agepath: data sets by digest", replicas)
	data.AllowRollup = true
	return []jetstream.StreamConfig{data, bucketStream(outcomesBucket, "agepath: large outcomes", replicas)}
}

func bucketStream(bucket, description string, replicas int) jetstream.StreamConfig {
	c := streamConfig(objectsStream+bucket, "", description, replicas)
	c.Subjects = []string{"$O." + bucket + ".C.>", "$O." + bucket + ".M.>"}
	c.Discard, c.MaxMsgsPerSubject, c.AllowDirect = jetstream.DiscardNew, -1, true
	return c
}

// EnsureStreams creates missing streams and object stores and checks the others, without changing
// them: the error says what differs, what follows and what to do. Only coordinators need permission
// for it.
func (q *Queue) EnsureStreams(ctx context.Context) error {
	version := q.conn.ConnectedServerVersion()
	if !since(version, 10) {
		q.config.Report(fmt.Errorf("this NATS server, version %s, cannot sync each write: a power cut can take what it confirmed in the last two minutes; "+
			"versions from 2.10 on do not lose it with sync_interval: always", version))
	}
	replicas := max(q.config.Replicas, 1)
	for _, want := range append(streamConfigs(replicas), bucketStreams(replicas)...) {
		want.AllowAtomicPublish = want.Name == tasksStream && since(version, 12)
		if err := q.ensureStream(ctx, want); err != nil {
			return err
		}
	}
	return q.tasks.anchor(ctx)
}

func since(version string, minor int) bool {
	var have [2]int
	if _, err := fmt.Sscanf(version, "%d.%d", &have[0], &have[1]); err != nil {
		return true
	}
	return have[0] > 2 || have[0] == 2 && have[1] >= minor
}

func (c *connection) ensureStream(ctx context.Context, want jetstream.StreamConfig) error {
	var stream jetstream.Stream
	err := c.persist(ctx, "creating stream "+want.Name, "", func(ctx context.Context) (err error) {
		stream, err = c.js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			stream, err = c.js.CreateStream(ctx, want)
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another coordinator was faster
				stream, err = c.js.Stream(ctx, want.Name)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := c.verify(want, stream.CachedInfo().Config); err != nil {
		return err
	}
	c.mu.Lock()
	c.streams[want.Name] = stream
	c.mu.Unlock()
	return nil
}
