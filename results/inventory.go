package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/disk"
)

// Inventory lists the cells in the files of a folder.
type Inventory struct {
	index    *index
	files    int   // of cells, including streams
	segments []int // of the streams, ascending
}

// TakeInventory finds the cells in the files of dir, including those of former grids. Unlike [Open]
// it takes no lock, so a store may be writing. A missing folder has no cells; another schema
// version is a [*VersionError]. A computed cell counts if it has the needed further tables, at most
// 8.
func TakeInventory(ctx context.Context, dir string, needed []string) (*Inventory, error) {
	inventory := &Inventory{index: newIndex(needed, needed)}
	segments, err := cellStreams(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return inventory, nil
	}
	if err != nil {
		return nil, err
	}
	inventory.segments = segments
	// The newest outcome counts. A compaction writes cells.arrow before it deletes the streams, so
	// reading cells.arrow last misses no cell.
	for _, number := range slices.Backward(segments) {
		err := inventory.add(ctx, dir, number)
		if err != nil && !errors.Is(err, errTorn) {
			return nil, err
		}
	}
	if err := inventory.add(ctx, dir, 0); err != nil {
		return nil, err
	}
	return inventory, inventory.add(ctx, dir, formerSegment)
}

func cellStreams(dir string) ([]int, error) {
	items, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var segments []int
	for _, item := range items {
		if table, number, ok := parseStreamName(item.Name()); ok && table == "cells" {
			segments = append(segments, number)
		}
	}
	slices.Sort(segments)
	return segments, nil
}

func (v *Inventory) add(ctx context.Context, dir string, number int) error {
	reader, err := OpenTable(filepath.Join(dir, fileName("cells", number)), indexed)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer reader.Close()
	v.files++
	return reader.each(ctx, math.MaxInt, func(k int, f *Frame) error {
		return v.index.add(f, sourceOf(number, k), func(known *entry) bool { return int(known.source.segment) == number })
	})
}

func (v *Inventory) Len() int { return len(v.index.entries) }

// Has reports whether a cell exists, even without the needed tables.
func (v *Inventory) Has(cell string) bool {
	_, _, ok := v.index.find(cell)
	return ok
}

// Newest returns how a cell ended, see [Store.Newest].
func (v *Inventory) Newest(cell string) (status experiment.Status, shortOf float64, there bool) {
	return v.index.newest(cell)
}

// FindCells finds up to most cells of the grid in dir whose identity is begin or begins with it,
// without a lock. Its error is [fs.ErrNotExist] if dir has no file of cells.
func FindCells(ctx context.Context, dir, begin string, most int) (found []string, err error) {
	inventory, err := TakeInventory(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	if inventory.files == 0 {
		return nil, fmt.Errorf("%s has no file of cells: %w", dir, fs.ErrNotExist)
	}
	for _, e := range inventory.index.entries {
		if cell := e.key.String(); len(found) < most && e.source != inFormer && strings.HasPrefix(cell, begin) {
			found = append(found, cell)
		}
	}
	return found, nil
}

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

// FilesFolder has copies of the files of commands in DIR.
const FilesFolder = "files"

// mostKept is the size of the largest copy.
const mostKept = 1 << 20

// FileIn returns the path of the copy of a file of a command.
func FileIn(dir, name string) string {
	return filepath.Join(dir, FilesFolder, filepath.FromSlash(path.Clean("/"+name)))
}

// KeepFiles copies files of up to 1 MiB, by their digests, into DIR.
func KeepFiles(ctx context.Context, dir string, files map[string]string, read func(ctx context.Context, digest string) ([]byte, error)) error {
	for name, digest := range files {
		content, err := read(ctx, digest)
		if err != nil {
			return err
		}
		if len(content) > mostKept {
			continue
		}
		to := FileIn(dir, name)
		if err := disk.MkdirAll(disk.OS{}, filepath.Dir(to)); err != nil {
			return err
		}
		if err := disk.WriteFile(disk.OS{}, to, content); err != nil {
			return disk.Advise(err)
		}
	}
	return nil
}

func (v *Verification) checkFiles() {
	for name, digest := range v.Manifest.Files {
		if have, err := disk.Digest(FileIn(v.dir, name)); err == nil && have != digest {
			v.Problem("files of methods", "%s is not the file that the cells were computed with", FileIn(v.dir, name))
		} else if err != nil && !os.IsNotExist(err) {
			v.Problem("files of methods", "%v", err)
		}
	}
}
