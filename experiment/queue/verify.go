package queue

import (
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

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

func limit(key string, have int64, follows string) setting {
	return setting{key, int64(-1), unlimited(have), follows, false}
}

func off(key string, on bool, follows string, fixed bool) setting {
	return setting{key, false, on, follows, fixed}
}

func subjects(c jetstream.StreamConfig) string {
	return fmt.Sprint(slices.Sorted(slices.Values(c.Subjects)))
}

func rollup(want jetstream.StreamConfig) string {
	if want.AllowRollup {
		return "data sets could not be replaced"
	}
	return "a worker could remove all messages by one of its own"
}

func settings(want, have jetstream.StreamConfig) []setting {
	const lost, refused, other = "messages would vanish", "messages would be refused", "messages would not be those that were sent"
	return []setting{
		off("mirror", have.Mirror != nil, refused, true),
		{"retention", want.Retention, have.Retention, lost, true},
		{"storage", want.Storage, have.Storage, "a restart of the server would lose the messages", true},
		{"discard", want.Discard, have.Discard, "the wrong messages would be refused or vanish", false},
		{"discard_new_per_subject", want.DiscardNewPerSubject, have.DiscardNewPerSubject, "cells would be queued twice", false},
		{"subjects", subjects(want), subjects(have), "messages would not arrive, or others would", false},
		{"max_msgs_per_subject", unlimited(want.MaxMsgsPerSubject), unlimited(have.MaxMsgsPerSubject), "a cell would have several messages, or none", false},
		{"max_bytes", unlimited(want.MaxBytes), unlimited(have.MaxBytes), lost + " or be refused when it is reached", false},
		{"max_msgs", unlimited(want.MaxMsgs), unlimited(have.MaxMsgs), lost + " or be refused when it is reached", false},
		{"max_age", want.MaxAge, have.MaxAge, lost + " by their age", false},
		{"allow_rollup_hdrs", want.AllowRollup, have.AllowRollup, rollup(want), false},
		limit("max_msg_size", int64(have.MaxMsgSize), refused),
		limit("max_consumers", int64(have.MaxConsumers), "runs would be refused"),
		off("no_ack", have.NoAck, "nothing would be confirmed", false),
		off("sealed", have.Sealed, refused, true),
		off("deny_delete", have.DenyDelete, "finished runs could not be removed", true),
		off("deny_purge", have.DenyPurge, "runs could not be cancelled or removed", true),
		off("sources", len(have.Sources) > 0, other, false),
		off("subject_transform", have.SubjectTransform != nil, other, false),
		off("allow_msg_counter", have.AllowMsgCounter, other, true),
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
