package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/experiment/queue"
)

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

// Dataset implements [experiment.Data].
func (s *slot) Dataset(_ context.Context, digest string) (*dataset.Dataset, error) {
	return s.data.get(digest, func() (*dataset.Dataset, error) {
		set, err := readDataset(s.served.Data[digest], digest)
		if err != nil {
			return nil, &dataError{digest, err}
		}
		return set, nil
	})
}

// File implements [experiment.Data]. It checks the digest.
func (s *slot) File(_ context.Context, digest string) ([]byte, error) {
	path, ok := s.served.Data[digest]
	if !ok {
		return nil, fmt.Errorf("the task has no file with the digest %s", digest)
	}
	content, err := os.ReadFile(path)
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
	body, err := q.Data(ctx, digest)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	content, err := io.ReadAll(io.LimitReader(body, outside.MaxFileSize+1))
	if err != nil {
		return nil, err
	}
	if have := outside.Digest(content); have != digest {
		return nil, &queue.DamagedError{Object: digest, Err: fmt.Errorf("a file that has the digest %s", have)}
	}
	return content, nil
}

// File implements [experiment.FileLoader].
func (l *remoteLoader) File(ctx context.Context, name string) (io.ReadCloser, error) {
	digest, ok := l.manifest.Files[name]
	if !ok {
		return nil, fmt.Errorf("run %s has no file %q", l.manifest.Run, name)
	}
	return reading(fetchFile(ctx, l.queue, digest))
}
