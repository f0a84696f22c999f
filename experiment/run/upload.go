package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/queue"
)

// upload is a data set or a file of a command that the server needs.
type upload struct {
	what   string // in messages
	digest string
	look   func() error // reads what the server has
	open   func() (io.ReadCloser, error)
}

// uploads lists what workers need of a plan.
func uploads(ctx context.Context, q *queue.Queue, plan *experiment.Plan) (list []upload) {
	for _, planned := range plan.Data {
		if !plan.Loads(planned.Digest) {
			continue
		}
		list = append(list, upload{"data set " + planned.Name, planned.Digest, func() error {
			_, err := fetchDataset(ctx, q, planned.Digest)
			return err
		}, func() (io.ReadCloser, error) {
			set, err := plan.Dataset(ctx, planned.Digest)
			if err != nil {
				return nil, err
			}
			reader, writer := io.Pipe()
			go func() { writer.CloseWithError(dataset.Encode(writer, set)) }() // ends when the reader is closed
			return reader, nil
		}})
	}
	for name, digest := range plan.Files {
		list = append(list, upload{"the file " + name, digest, func() error {
			_, err := fetchFile(ctx, q, digest)
			return err
		}, func() (io.ReadCloser, error) { return reading(plan.File(ctx, digest)) }})
	}
	return list
}

// putMissing uploads what is missing or damaged at the server and returns what was damaged.
func putMissing(ctx context.Context, q *queue.Queue, list []upload) (replaced []string, err error) {
	for _, u := range list {
		switch err := u.look(); {
		case err == nil:
			continue
		case errors.As(err, new(*queue.DamagedError)):
			replaced = append(replaced, u.what)
		case !errors.Is(err, queue.ErrNoData):
			return replaced, fmt.Errorf("looking at %s at the server: %w", u.what, err)
		}
		body, err := u.open()
		if err == nil {
			err = errors.Join(q.PutData(ctx, u.digest, body), body.Close())
		}
		if err != nil {
			return replaced, fmt.Errorf("sending %s: %w", u.what, err)
		}
	}
	return replaced, nil
}

// reading opens a content that is in memory; it takes what a function returned.
func reading(content []byte, err error) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(content)), err
}
