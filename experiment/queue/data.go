package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

const cellsSuffix = "/cells"

// CellsOf returns the name of a run's list of cells, which [Queue.RemoveData] of the run removes.
func CellsOf(run string) string { return run + cellsSuffix }

func validData(name string) error { return ValidName(strings.TrimSuffix(name, cellsSuffix)) }

// PutData stores a data set under its digest, even over another. Meanwhile readers can get parts of
// both, which do not match the digest. An interrupted upload stores none.
func (q *Queue) PutData(ctx context.Context, digest string, r io.Reader) error {
	if err := validData(digest); err != nil {
		return fmt.Errorf("storing data set: digest %w", err)
	}
	if err := q.data.put(ctx, digest, r); err != nil {
		return fmt.Errorf("storing data set %s: %w", digest, err)
	}
	return nil
}

// Data reads a data set; the caller checks the digest. A missing one is [ErrNoData], a damaged one
// a [*DamagedError], now or while it is read.
func (q *Queue) Data(ctx context.Context, digest string) (io.ReadCloser, error) {
	if err := validData(digest); err != nil {
		return nil, fmt.Errorf("data set: digest %w", err)
	}
	r, err := q.data.open(ctx, digest, maxData)
	if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		err = ErrNoData
	}
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", digest, err)
	}
	return r, nil
}

// RemoveData removes a data set, if present.
func (q *Queue) RemoveData(ctx context.Context, digest string) error {
	if err := ValidName(digest); err != nil {
		return fmt.Errorf("removing data set: digest %w", err)
	}
	// With the index, so that nobody reads the parts.
	return q.data.remove(ctx, func(name string) bool { return name == digest || strings.HasPrefix(name, digest+"/") })
}
