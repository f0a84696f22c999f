package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// streamConfigs are the streams with everything that the package relies on
// said, nothing that servers before 2.9 do not know, and no message ids: the
// window of their de-duplication would swallow a cell that is put back.
func streamConfigs(replicas int) []jetstream.StreamConfig {
	keyed := jetstream.StreamConfig{
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
	stream := func(name string, topic topic, description string) jetstream.StreamConfig {
		c := keyed
		c.Name, c.Subjects, c.Description = name, []string{topic.all()}, description
		return c
	}
	tasks := stream(tasksStream, taskTopic, "agepath: tasks queued and in flight")
	tasks.Retention = jetstream.WorkQueuePolicy
	tasks.Discard = jetstream.DiscardNew
	tasks.DiscardNewPerSubject = true
	workers := stream(workersStream, workerTopic, "agepath: what each worker does")
	workers.Subjects = []string{string(workerTopic) + "*"}
	workers.Storage = jetstream.MemoryStorage
	workers.MaxAge = presenceAge
	return []jetstream.StreamConfig{
		tasks,
		workers,
		stream(resultsStream, resultTopic, "agepath: the newest outcome of each cell"),
		stream(attemptsStream, attemptTopic, "agepath: how the deliveries of each cell ended"),
		stream(deadStream, deadTopic, "agepath: tasks given up"),
	}
}

func bucketConfigs(replicas int) []jetstream.ObjectStoreConfig {
	return []jetstream.ObjectStoreConfig{
		{Bucket: dataBucket, Description: "agepath: data sets by digest", Storage: jetstream.FileStorage, Replicas: 1},
		{Bucket: outcomesBucket, Description: "agepath: large outcomes", Storage: jetstream.FileStorage, Replicas: replicas},
	}
}

// EnsureStreams creates the streams and object stores that are missing and
// checks that the others are as this package needs them. It changes none: a
// stream that differs is an error that names what differs. Coordinators call
// it; workers need no permission for it.
func (q *Queue) EnsureStreams(ctx context.Context) error {
	replicas := max(q.config.Replicas, 1)
	for _, want := range streamConfigs(replicas) {
		var stream jetstream.Stream
		err := q.persist(ctx, "creating stream "+want.Name, "", func(ctx context.Context) (err error) {
			stream, err = q.js.Stream(ctx, want.Name)
			if errors.Is(err, jetstream.ErrStreamNotFound) {
				stream, err = q.js.CreateStream(ctx, want)
				if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another coordinator was faster
					stream, err = q.js.Stream(ctx, want.Name)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := q.verify(want, stream.CachedInfo().Config); err != nil {
			return err
		}
		q.mu.Lock()
		q.streams[want.Name] = stream
		q.mu.Unlock()
	}
	if err := q.anchor(ctx); err != nil {
		return err
	}
	for _, want := range bucketConfigs(replicas) {
		err := q.persist(ctx, "creating object store "+want.Bucket, "", func(ctx context.Context) error {
			_, err := q.bucket(ctx, want.Bucket)
			if errors.Is(err, jetstream.ErrBucketNotFound) {
				_, err = q.js.CreateObjectStore(ctx, want)
				if errors.Is(err, jetstream.ErrBucketExists) {
					err = nil
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// verify compares what the package relies on.
func (q *Queue) verify(want, have jetstream.StreamConfig) error {
	for _, field := range []struct {
		key        string
		want, have any
	}{
		{"retention", want.Retention, have.Retention},
		{"discard", want.Discard, have.Discard},
		{"discard_new_per_subject", want.DiscardNewPerSubject, have.DiscardNewPerSubject},
		{"max_msgs_per_subject", want.MaxMsgsPerSubject, have.MaxMsgsPerSubject},
		{"storage", want.Storage, have.Storage},
	} {
		if field.want != field.have {
			return mismatch(want.Name, field.key, field.have, field.want)
		}
	}
	if !slices.Equal(want.Subjects, have.Subjects) {
		return mismatch(want.Name, "subjects", have.Subjects, want.Subjects)
	}
	if q.config.Replicas != 0 && have.Replicas != q.config.Replicas {
		return mismatch(want.Name, "replicas", have.Replicas, q.config.Replicas)
	}
	return nil
}

func mismatch(stream, key string, have, want any) error {
	return fmt.Errorf("stream %s exists with %s %v, needed is %v: change it, or use another NATS account", stream, key, have, want)
}
