package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// partSize is how much of an object is stored at a time. The client library
// sends all chunks of an object at once and gives its download a single
// deadline, so that large ones overrun the server's buffers or time out; in
// parts neither grows with the object.
const partSize = 4 << 20

// index is stored last under the object's own name and lists its parts; until
// then the object does not exist.
type index struct {
	Parts int   `json:"parts"`
	Size  int64 `json:"size"`
}

func partName(name string, part int) string { return fmt.Sprintf("%s/%06d", name, part) }

// PutData stores a data set under its digest unless it is there already, in
// which case r is not read. A data set whose upload broke off is not there.
func (q *Queue) PutData(ctx context.Context, digest string, r io.Reader) error {
	if err := ValidName(digest); err != nil {
		return fmt.Errorf("storing data set: digest %w", err)
	}
	bucket, err := q.bucket(ctx, dataBucket)
	if err != nil {
		return fmt.Errorf("storing data set %s: %w", digest, err)
	}
	err = q.persist(ctx, "looking for it", "", func(ctx context.Context) error {
		_, err := bucket.GetInfo(ctx, digest)
		return err
	})
	if err == nil {
		return nil
	}
	if !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("storing data set %s: %w", digest, err)
	}
	if err := q.putObject(ctx, dataBucket, digest, r); err != nil {
		return fmt.Errorf("storing data set %s: %w", digest, err)
	}
	return nil
}

// Data reads a data set. Whether the bytes match the digest is for the reader
// to check. A missing data set is [ErrNoData].
func (q *Queue) Data(ctx context.Context, digest string) (io.ReadCloser, error) {
	if err := ValidName(digest); err != nil {
		return nil, fmt.Errorf("data set: digest %w", err)
	}
	r, err := q.openObject(ctx, dataBucket, digest)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		err = ErrNoData
	}
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", digest, err)
	}
	return r, nil
}

// RemoveData removes what [Queue.PutData] stored, if it is there.
func (q *Queue) RemoveData(ctx context.Context, digest string) error {
	if err := ValidName(digest); err != nil {
		return fmt.Errorf("removing data set: digest %w", err)
	}
	// The index is among them: nobody reads parts without it.
	return q.removeObjects(ctx, dataBucket, func(name string) bool { return name == digest || strings.HasPrefix(name, digest+"/") })
}

func (q *Queue) putObject(ctx context.Context, bucket, name string, r io.Reader) error {
	store, err := q.bucket(ctx, bucket)
	if err != nil {
		return err
	}
	var at index
	buffer := make([]byte, partSize)
	for {
		n, err := io.ReadFull(r, buffer)
		if n > 0 {
			part := partName(name, at.Parts)
			err := q.persistFor(ctx, transferWait, "storing part "+part, "", func(ctx context.Context) error {
				_, err := store.Put(ctx, jetstream.ObjectMeta{Name: part}, bytes.NewReader(buffer[:n]))
				return err
			})
			if err != nil {
				return err
			}
			at.Parts++
			at.Size += int64(n)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return fmt.Errorf("reading what to store: %w", err)
		}
	}
	body, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return q.persist(ctx, "storing index "+name, "", func(ctx context.Context) error {
		_, err := store.PutBytes(ctx, name, body)
		return err
	})
}

func (q *Queue) openObject(ctx context.Context, bucket, name string) (*objectReader, error) {
	store, err := q.bucket(ctx, bucket)
	if err != nil {
		return nil, err
	}
	r := &objectReader{ctx: ctx, queue: q, store: store, name: name}
	var body []byte
	err = q.persist(ctx, "reading index "+name, "", func(ctx context.Context) (err error) {
		body, err = store.GetBytes(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &r.index); err != nil {
		return nil, fmt.Errorf("index %s: %w", name, err)
	}
	return r, nil
}

func (q *Queue) readObject(ctx context.Context, bucket, name string) ([]byte, error) {
	r, err := q.openObject(ctx, bucket, name)
	if err != nil {
		return nil, err
	}
	body := bytes.NewBuffer(make([]byte, 0, r.index.Size+bytes.MinRead))
	if _, err := body.ReadFrom(r); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// objectReader reads an object part by part; the library checks each part's
// SHA-256.
type objectReader struct {
	ctx   context.Context // of the whole object: io.Reader has no other place for it
	queue *Queue
	store jetstream.ObjectStore
	name  string
	index index
	next  int
	part  []byte
}

func (r *objectReader) Read(p []byte) (int, error) {
	for len(r.part) == 0 {
		if r.next == r.index.Parts {
			return 0, io.EOF
		}
		name := partName(r.name, r.next)
		err := r.queue.persistFor(r.ctx, transferWait, "reading part "+name, "", func(ctx context.Context) (err error) {
			r.part, err = r.store.GetBytes(ctx, name)
			return err
		})
		if err != nil {
			return 0, err
		}
		r.next++
	}
	n := copy(p, r.part)
	r.part = r.part[n:]
	return n, nil
}

func (r *objectReader) Close() error {
	r.next, r.part = r.index.Parts, nil
	return nil
}
