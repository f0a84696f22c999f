package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// streamConfigs sets all that the package relies on, nothing unknown to servers before 2.9, and no
// message ids, whose de-duplication would drop a cell that is put back.
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
	// The object stores are as the client library makes them, but only their leaders answer: a replica
	// can lag behind. Only coordinators store data sets: in a stream that allows rollup, workers could
	// remove all objects.
	data := bucketStream(dataBucket, "agepath: data sets by digest", replicas)
	data.AllowRollup = true
	return []jetstream.StreamConfig{
		tasks,
		workers,
		streamConfig(resultsStream, resultTopic, "agepath: the newest outcome of each cell", replicas),
		streamConfig(attemptsStream, attemptTopic, "agepath: how the deliveries of each cell ended", replicas),
		streamConfig(deadStream, deadTopic, "agepath: tasks given up", replicas),
		quarantine,
		data,
		bucketStream(outcomesBucket, "agepath: large outcomes", replicas),
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

func bucketStream(bucket, description string, replicas int) jetstream.StreamConfig {
	c := streamConfig(objectsStream+bucket, "", description, replicas)
	c.Subjects = []string{"$O." + bucket + ".C.>", "$O." + bucket + ".M.>"}
	c.Discard, c.MaxMsgsPerSubject = jetstream.DiscardNew, -1
	return c
}

// EnsureStreams creates missing streams and object stores and checks the others, without changing
// them: the error says what differs, what follows and what to do. Only coordinators need permission
// for it.
func (q *Queue) EnsureStreams(ctx context.Context) error {
	version := q.conn.ConnectedServerVersion()
	if !syncsWrites(version) {
		q.config.Report(fmt.Errorf("this NATS server, version %s, cannot sync each write: a power cut can take what it confirmed in the last two minutes; "+
			"versions from 2.10 on do not lose it with sync_interval: always", version))
	}
	for _, want := range streamConfigs(max(q.config.Replicas, 1)) {
		if err := q.ensureStream(ctx, want); err != nil {
			return err
		}
	}
	if err := q.store(ctx, "publishing "+anchorSubject, tasksStream, nats.NewMsg(anchorSubject)); !refusal(err) {
		return err
	}
	return nil
}

// syncsWrites reports whether a server, or one of unknown version, has sync_interval: always.
func syncsWrites(version string) bool {
	var major, minor int
	_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return err != nil || major > 2 || major == 2 && minor >= 10
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

// setting is a stream's setting, with the consequence of another value.
type setting struct {
	key        string
	want, have any
	follows    string
	fixed      bool // servers do not change it in an existing stream
}

func unlimited(limit int64) int64 {
	if limit <= 0 {
		return -1
	}
	return limit
}

func settings(want, have jetstream.StreamConfig) []setting {
	subjects := func(list []string) string { return fmt.Sprint(slices.Sorted(slices.Values(list))) }
	const lost, refused, other = "messages would vanish", "messages would be refused", "messages would not be those that were sent"
	rollup := "a worker could remove all messages by one of its own"
	if want.AllowRollup {
		rollup = "data sets could not be replaced"
	}
	return []setting{
		{"mirror", false, have.Mirror != nil, refused, true},
		{"retention", want.Retention, have.Retention, lost, true},
		{"storage", want.Storage, have.Storage, "a restart of the server would lose the messages", true},
		{"discard", want.Discard, have.Discard, "the wrong messages would be refused or vanish", false},
		{"discard_new_per_subject", want.DiscardNewPerSubject, have.DiscardNewPerSubject, "cells would be queued twice", false},
		{"subjects", subjects(want.Subjects), subjects(have.Subjects), "messages would not arrive, or others would", false},
		{"max_msgs_per_subject", unlimited(want.MaxMsgsPerSubject), unlimited(have.MaxMsgsPerSubject), "a cell would have several messages, or none", false},
		{"max_bytes", unlimited(want.MaxBytes), unlimited(have.MaxBytes), lost + " or be refused when it is reached", false},
		{"max_msgs", unlimited(want.MaxMsgs), unlimited(have.MaxMsgs), lost + " or be refused when it is reached", false},
		{"max_age", want.MaxAge, have.MaxAge, lost + " by their age", false},
		{"allow_rollup_hdrs", want.AllowRollup, have.AllowRollup, rollup, false},
		{"max_msg_size", int64(-1), unlimited(int64(have.MaxMsgSize)), refused, false},
		{"max_consumers", int64(-1), unlimited(int64(have.MaxConsumers)), "runs would be refused", false},
		{"allow_direct", false, have.AllowDirect, "replicas would answer that lack what was just stored", false},
		{"no_ack", false, have.NoAck, "nothing would be confirmed", false},
		{"sealed", false, have.Sealed, refused, true},
		{"deny_delete", false, have.DenyDelete, "finished runs could not be removed", true},
		{"deny_purge", false, have.DenyPurge, "runs could not be cancelled or removed", true},
		{"sources", false, len(have.Sources) > 0, other, false},
		{"subject_transform", false, have.SubjectTransform != nil, other, false},
		{"allow_msg_counter", false, have.AllowMsgCounter, other, true},
		{"persist_mode", want.PersistMode, have.PersistMode, "results would be confirmed before they are on the disk", true},
		{"consumer_limits", jetstream.StreamConsumerLimits{}, have.ConsumerLimits, "the queues of runs would be refused or vanish", false},
	}
}

// verify checks the settings of an existing stream, the replicas only if they are configured.
func (c *connection) verify(want, have jetstream.StreamConfig) error {
	all := settings(want, have)
	if c.config.Replicas != 0 {
		all = append(all, setting{"replicas", want.Replicas, have.Replicas, "a lost server would take data sets, tasks and results with it", false})
	}
	for _, s := range all {
		if s.want == s.have {
			continue
		}
		remedy := fmt.Sprintf("change it, as by `nats stream edit %s`,", want.Name)
		if s.fixed {
			remedy = fmt.Sprintf("that cannot be changed, remove the stream when its results are collected, as by `nats stream rm %s`,", want.Name)
		}
		return fmt.Errorf("stream %s exists with %s %v, needed is %v, else %s: %s or use another NATS account",
			want.Name, s.key, s.have, s.want, s.follows, remedy)
	}
	return nil
}
