package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// Contents lists what a folder of results holds at one moment.
type Contents struct {
	Tables []string // with a file or a stream, without former grids
	Ended  bool     // no rows are in streams
	names  map[string]string
}

// State changes with every flush that adds to the folder.
func (c *Contents) State(table string) string { return c.names["cells"] + c.names[table] }

// Look lists what dir holds, without a lock.
func Look(dir string) (*Contents, error) {
	items, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for tables: %w", err)
	}
	c := &Contents{Ended: true, names: map[string]string{}}
	for _, item := range items { // by name
		name := item.Name()
		table, _, streamed := parseStreamName(name)
		if !streamed {
			var final bool
			if table, final = strings.CutSuffix(name, ".arrow"); !final || strings.Contains(table, ".") {
				continue
			}
		}
		info, err := item.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // merged in the meantime
		}
		if err != nil {
			return nil, fmt.Errorf("looking for tables: %w", err)
		}
		if c.names[table] == "" {
			c.Tables = append(c.Tables, table)
		}
		c.names[table] += fmt.Sprintf("%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		c.Ended = c.Ended && !streamed
	}
	return c, nil
}

// Snapshot writes the counting rows of a table in dir to path as an Arrow file, in the order of
// arrival, up to the last flush, without a lock. The error is [fs.ErrNotExist] if the table has no
// row and no file yet. Memory: 100 bytes a cell.
func Snapshot(ctx context.Context, dir, table, path string) error {
	const most = 5 // attempts; a run merges its streams when it ends or resumes
	var err error
	for range most {
		if err = snapshot(ctx, dir, table, path); !errors.Is(err, errGathered) {
			break
		}
	}
	return disk.Advise(err)
}

func snapshot(ctx context.Context, dir, table, path string) (err error) {
	file, err := disk.OS{}.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	var w *tableWriter
	_, err = EachNewest(ctx, dir, table, nil, func(f *Frame) (err error) {
		if w == nil {
			schema := withChecksums(tableSchema(experiment.Table{Name: table, Columns: f.Columns}, f.Metadata[MetadataRun]))
			if w, err = newTableWriter(file, schema, f.Columns, true, batchRows, ZSTD); err != nil {
				return err
			}
		}
		return w.add(&f.Batch, 0, f.Rows())
	})
	if err == nil && w == nil {
		err = fmt.Errorf("%s has no rows of the table %s yet: %w", filepath.Clean(dir), table, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	return w.finish()
}

// RunOf returns the run whose results are in dir, without a lock. No results are [fs.ErrNotExist].
func RunOf(dir string) (string, error) {
	m, err := ReadManifest(dir)
	if err == nil {
		return m.Run, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	segments, err := cellStreams(dir)
	if err != nil {
		return "", err
	}
	name := CellsFile
	if len(segments) > 0 {
		name = streamName("cells", segments[len(segments)-1])
	}
	table, err := OpenTable(filepath.Join(dir, name), indexed[:1])
	if err != nil {
		return "", fmt.Errorf("%s has no results: %w", dir, err)
	}
	return table.metadata[MetadataRun], table.Close()
}
