package results

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// A segment is what one store wrote between two compactions or write errors: one Arrow stream per
// table, TABLE.NNNN.arrows. Every flush appends one batch, even an empty one, to each stream, with
// the rows of the same outcomes. The cells come last, after the other tables are durable: a whole
// batch of cells implies that the other tables' batches are whole.

// fileName names the file of a table: of a segment's stream, for 0 the final one, and for
// [formerSegment] that of former grids.
func fileName(table string, segment int) string {
	switch {
	case segment > 0:
		return streamName(table, segment)
	case segment == formerSegment:
		return formerName(table)
	}
	return finalName(table)
}

func streamName(table string, segment int) string {
	return fmt.Sprintf("%s.%04d.arrows", table, segment)
}

var streamPattern = regexp.MustCompile(`^(.+)\.(\d{4,9})\.arrows$`)

func parseStreamName(name string) (table string, segment int, ok bool) {
	m := streamPattern.FindStringSubmatch(name)
	if m == nil {
		return "", 0, false
	}
	segment, err := strconv.Atoi(m[2])
	return m[1], segment, err == nil && segment > 0 && streamName(m[1], segment) == name
}

// segment is no longer written.
type segment struct {
	number  int
	batches int // whole in all tables
}

type segmentWriter struct {
	segment
	disk    disk.FS
	dir     string
	streams []*tableWriter // the cells' last
}

func createSegment(d disk.FS, dir string, tables []experiment.Table, run string, number int) (*segmentWriter, error) {
	w := &segmentWriter{segment: segment{number: number}, disk: d, dir: dir}
	for _, table := range tables {
		path := filepath.Join(dir, streamName(table.Name, number))
		file, err := d.Create(path)
		if err != nil {
			return nil, errors.Join(err, w.remove())
		}
		stream, err := newTableWriter(file, tableSchema(table, run), table.Columns, false, 0, ZSTD) // its checksums detect damage
		if err != nil {
			return nil, errors.Join(err, file.Close(), d.Remove(path), w.remove())
		}
		stream.path = path
		w.streams = append(w.streams, stream)
	}
	return w, nil
}

// write appends a durable batch to each stream. After an error the segment can only be closed.
func (w *segmentWriter) write(fill func(table int, batch *experiment.Batch) error) error {
	for k, stream := range w.streams {
		if k == len(w.streams)-1 && w.batches == 0 {
			if err := w.disk.SyncDir(w.dir); err != nil {
				return err
			}
		}
		err := fill(k, &stream.batch)
		if err == nil {
			err = stream.flush()
		}
		if err == nil {
			err = stream.out.sync()
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", stream.path, disk.WithoutPath(err, stream.path))
		}
	}
	w.batches++
	return nil
}

// close leaves durable data; readers skip a torn end.
func (w *segmentWriter) close() error {
	var errs []error
	for _, stream := range w.streams {
		errs = append(errs, stream.out.file.Close())
	}
	w.streams = nil
	return errors.Join(errs...)
}

// end writes the marker of complete streams.
func (w *segmentWriter) end() error {
	for _, stream := range w.streams {
		err := stream.records.Close()
		if err == nil {
			err = stream.out.sync()
		}
		if err != nil {
			return errors.Join(fmt.Errorf("writing %s: %w", stream.path, disk.WithoutPath(err, stream.path)), w.close())
		}
	}
	return w.close()
}

func (w *segmentWriter) remove() error {
	streams := w.streams
	errs := []error{w.close()}
	for _, stream := range slices.Backward(streams) {
		errs = append(errs, w.disk.Remove(stream.path))
	}
	return errors.Join(errs...)
}
