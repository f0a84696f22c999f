package queue

import (
	"context"
	"errors"

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

// objectsStream begins the names of the streams of object stores.
const objectsStream = "OBJ_"

// bucketStream returns what this package relies on of an object store's stream,
// whose other settings are the client library's business.
func bucketStream(c jetstream.ObjectStoreConfig) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              objectsStream + c.Bucket,
		Subjects:          []string{"$O." + c.Bucket + ".C.>", "$O." + c.Bucket + ".M.>"},
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardNew,
		Storage:           c.Storage,
		MaxMsgsPerSubject: -1,
		Replicas:          c.Replicas,
	}
}

// EnsureStreams creates the streams and object stores that are missing and
// checks that the others are as this package needs them. It changes none: a
// stream that differs is an error that names what differs, what follows from it
// and what to do. Coordinators call it; workers need no permission for it.
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
		stream, err := q.stream(ctx, objectsStream+want.Bucket)
		if err != nil {
			return err
		}
		if err := q.verify(bucketStream(want), stream.CachedInfo().Config); err != nil {
			return err
		}
	}
	return nil
}
