package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
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

// commandLooks is the number of looks at a cell's memory per slower look at its command's.
const commandLooks = 5

type commandData struct {
	experiment.Data
	host *outside.Host
}

// Commands implements [experiment.CommandData].
func (d commandData) Commands() *outside.Host { return d.host }

func withCommands(data experiment.Data, host *outside.Host) experiment.Data {
	if host == nil {
		return data
	}
	return commandData{data, host}
}

func commandTime(data experiment.Data) time.Duration {
	d, ok := data.(experiment.CommandData)
	if !ok {
		return 0
	}
	cpu, _ := d.Commands().Usage()
	return cpu
}

// served is the current request, with what its command takes.
type served struct {
	*request
	looks                int
	foreign, mostForeign int64 // bytes of its processes: last, maximum
}

// Dataset implements [experiment.Data]. The data set is shared and must not be changed.
func (s *slot) Dataset(_ context.Context, digest string) (*dataset.Dataset, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	if set := s.data[digest]; set != nil {
		return set, nil
	}
	set, err := readDataset(string(s.served.Data[digest]), digest)
	if err == nil {
		s.data[digest] = set
	}
	return set, err
}

// File implements [experiment.Data]. It checks the digest.
func (s *slot) File(_ context.Context, digest string) ([]byte, error) {
	path, ok := s.served.Data[digest]
	if !ok {
		return nil, fmt.Errorf("the task has no file with the digest %s", digest)
	}
	content, err := os.ReadFile(string(path))
	if err != nil {
		return nil, err
	}
	if have := outside.Digest(content); have != digest {
		return nil, fmt.Errorf("the file of a command has the digest %s, not %s", have, digest)
	}
	return content, nil
}

// The caller holds mu.
func (s *slot) commandMemory() int64 {
	if !s.served.Commands {
		return 0
	}
	if s.served.looks++; s.served.looks%commandLooks == 1 {
		_, s.served.foreign = s.host.Usage()
		s.served.mostForeign = max(s.served.mostForeign, s.served.foreign)
	}
	return s.served.foreign
}

// fetchFile returns a [*queue.DamagedError] for another digest.
func fetchFile(ctx context.Context, q *queue.Queue, digest string) ([]byte, error) {
	content, err := q.ReadData(ctx, digest, outside.MaxFileSize)
	if have := outside.Digest(content); err == nil && have != digest {
		err = &queue.DamagedError{Object: digest, Err: fmt.Errorf("a file that has the digest %s", have)}
	}
	return content, err
}

// File implements [experiment.FileLoader].
func (l *remoteLoader) File(ctx context.Context, name string) (io.ReadCloser, error) {
	digest, ok := l.manifest.Files[name]
	if !ok {
		return nil, fmt.Errorf("run %s has no file %q", l.manifest.Run, name)
	}
	return reading(fetchFile(ctx, l.queue, digest))
}
