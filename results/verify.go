package results

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/outside"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results/prose"
)

// maxProblems limits the listed problems of one sort.
const maxProblems = 10

// Verification is the result of [Verify].
type Verification struct {
	Manifest *Manifest
	Cells    int
	Files    int      // tables and streams
	Batches  int      // decoded
	Notes    []string // what could not be checked, or shows a crash
	Problems []string
	Damaged  bool // more than what is made of the tables

	dir     string
	index   *index
	tables  []experiment.Table
	rows    map[string][]int64 // measures that count rows, by position in index; -1 for null
	further []string           // written together with the cells
	streams int
	trimmed bool           // see [MetadataTrimmed]
	sorts   map[string]int // problems by sort
}

// Verify reads everything in a folder of results, complete or not: it checks checksums, every
// batch, that each cell has one row, that the tables belong together and that the manifest
// describes the folder. Damage is a problem, not an error.
func Verify(ctx context.Context, dir string) (*Verification, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	v := &Verification{Manifest: m, dir: dir, index: newIndex(furtherTables(m), nil), sorts: map[string]int{}}
	switch text, err := disk.ReadFile(disk.OS{}, filepath.Join(dir, ManifestName)); {
	case err != nil:
		return nil, err
	case m.SHA256 == "":
		v.Note("%s has no digest of itself, as in folders of version 0.1", ManifestName)
	case outside.Digest(bytes.Replace(text, fmt.Appendf(nil, ",\n  \"sha256\": %q", m.SHA256), nil, 1)) != m.SHA256:
		v.Problem("manifest", "%s was changed after it was written: its text does not have its digest sha256", ManifestName)
	}
	if err := v.checkTables(ctx); err != nil {
		return nil, err
	}
	return v, v.checkReport(ctx)
}

func (v *Verification) checkTables(ctx context.Context) error {
	m := v.Manifest
	if kind, err := experiment.Named(m.Kind); err != nil {
		v.Note("numbers of rows of the further tables were not compared: %v", err)
	} else {
		v.tables = kind.Tables().Further
	}
	if err := v.readFiles(ctx); err != nil {
		return err
	}
	cells, err := v.readCells(ctx)
	if err != nil || !cells {
		return err
	}
	v.Cells = len(v.index.entries)
	if v.streams > 0 {
		v.Note("the run has not ended: %s", prose.Plural(v.streams, "stream"))
		return nil
	}
	if v.trimmed {
		v.Note("the last run was interrupted while it set cells aside: running the grid again finishes that")
		return v.checkFormer(ctx)
	}
	v.checkCounts()
	for _, table := range v.further {
		err := v.checkFurther(ctx, table)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) {
			v.Problem("files", "%s is missing, which was written together with %s", finalName(table), CellsFile)
		} else if err != nil {
			v.Problem("files", "%v", err)
		}
	}
	if err := v.checkOutcomes(ctx); err != nil {
		return err
	}
	return v.checkFormer(ctx)
}

func (v *Verification) checkOutcomes(ctx context.Context) error {
	kind, err := experiment.Named(v.Manifest.Kind)
	if err != nil || len(v.Problems) > 0 || kind.Tables().Consistent == nil {
		return nil //nolint:nilerr // an unknown kind is noted
	}
	var kept []string
	for _, table := range v.tables {
		if table.Kept {
			kept = append(kept, table.Name)
		}
	}
	all := func(_ string, status experiment.Status) bool { return status.Computed() }
	err = EachOutcome(ctx, v.dir, v.Manifest.Kind, kind.Tables(), kept, all, func(o *experiment.Outcome) error {
		if err := kind.Tables().Consistent(o); err != nil {
			v.Problem("scores", "cell %s: %v", o.Cell, err)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		v.Problem("files", "%v", err)
	}
	return ctx.Err()
}

func furtherTables(m *Manifest) (names []string) {
	for _, table := range m.Tables {
		if table.Name != "cells" && len(names) < 8 {
			names = append(names, table.Name)
		}
	}
	return names
}

// checkFormer also checks that all files of former grids exist.
func (v *Verification) checkFormer(ctx context.Context) error {
	cells, further := 0, []string(nil)
	err := EachFrame(ctx, filepath.Join(v.dir, formerName("cells")), indexed[:1], func(f *Frame) error {
		cells += f.Rows()
		further = writtenWith(f.Metadata)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		v.Problem("files", "the cells of former grids cannot be read: %v", err)
		return ctx.Err()
	}
	for _, table := range further {
		if _, err := os.Stat(filepath.Join(v.dir, formerName(table))); err != nil {
			v.Problem("files", "%s is missing, which was written together with %s", formerName(table), formerName("cells"))
		}
	}
	v.Note("%s of former grids: `coordinator prune` removes them", prose.Plural(cells, "cell"))
	return nil
}

// Problem adds a problem; only the first of each sort are listed.
func (v *Verification) Problem(sort, format string, args ...any) {
	if v.sorts[sort]++; v.sorts[sort] <= maxProblems {
		v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
	}
}

// Unlisted counts the others in words.
func (v *Verification) Unlisted() string {
	var parts []string
	for _, sort := range slices.Sorted(maps.Keys(v.sorts)) {
		if more := v.sorts[sort] - maxProblems; more > 0 {
			parts = append(parts, fmt.Sprintf("%d more: %s", more, sort))
		}
	}
	return strings.Join(parts, "; ")
}

// Note adds something that could not be checked, or that shows a crash.
func (v *Verification) Note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

// CheckPlan compares the cells with those of the plan. Cells are missing if the run has not ended, or
// had not when it was collected: then the manifest counts as many rows as there are.
func (v *Verification) CheckPlan(plan iter.Seq[string]) {
	planned, missing, former := map[CellKey]bool{}, 0, 0
	partial := v.streams > 0 || experiment.CountAll(v.Manifest.Counts) == v.Cells
	for cell := range plan {
		key, err := ParseCell(cell)
		if err != nil {
			v.Problem("cells of the plan", "the plan: %v", err)
			continue
		}
		planned[key] = true
		if _, there := v.index.slots[key]; there {
			continue
		}
		if missing++; !partial {
			v.Problem("missing cells", "cell %s of the plan has no row", cell)
		}
	}
	if partial && missing > 0 {
		v.Note("%s of the plan without a row: the run had not ended", prose.Plural(missing, "cell"))
	}
	for _, e := range v.index.entries {
		if planned[e.key] || e.source == inFormer {
			continue
		}
		if v.streams > 0 {
			former++
			continue
		}
		v.Problem("cells of no plan", "cell %s is not in the plan", e.key)
	}
	if former > 0 {
		v.Note("%d cells are of former grids and not set aside yet", former)
	}
}

func (v *Verification) readFiles(ctx context.Context) error {
	names, err := disk.OS{}.ReadDir(v.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		_, _, stream := parseStreamName(name)
		if !stream && filepath.Ext(name) != ".arrow" {
			continue
		}
		v.Files++
		path := filepath.Join(v.dir, name)
		if stream {
			v.streams++
		} else if err := checkSums(ctx, disk.OS{}, path); err != nil {
			damage, ok := errors.AsType[*DamageError](err)
			if !ok {
				return err
			}
			v.Problem("checksums", "%s: %s", path, damage.What)
		}
		if err := v.readBatches(ctx, path, stream); err != nil {
			return err
		}
	}
	return nil
}

func (v *Verification) readBatches(ctx context.Context, path string, stream bool) error {
	t, err := OpenTable(path, nil)
	if err != nil {
		if stream && errors.Is(err, errTorn) {
			v.Note("%s holds no whole batch, as after a crash", path)
			return nil
		}
		v.Problem("files", "%v", err)
		return nil
	}
	defer t.Close()
	have, former := t.metadata[MetadataRun], strings.HasPrefix(filepath.Base(path), formerPrefix)
	if have != v.Manifest.Run && !former {
		v.Problem("runs", "%s is of the run %q, the manifest of %q: where the grid was changed, run it again", path, have, v.Manifest.Run)
	}
	batches, at, err := t.whole(ctx, math.MaxInt)
	v.Batches += batches
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errTorn) && stream:
		v.Note("%s is not whole from byte %d on, as after a crash; the next run leaves that out", path, at)
	default:
		v.Problem("batches", "%s from byte %d on: %v", path, at, err)
	}
	return nil
}

// readCells returns false if the cells cannot be read.
func (v *Verification) readCells(ctx context.Context) (bool, error) {
	if v.streams > 0 {
		inventory, err := TakeInventory(ctx, v.dir, nil)
		if err != nil {
			v.Problem("files", "the cells cannot be read: %v", err)
			return false, ctx.Err()
		}
		v.index = inventory.index
		return true, nil
	}
	var counts []string
	for _, table := range v.tables {
		if table.Count != "" && !slices.Contains(counts, table.Count) {
			counts = append(counts, table.Count)
		}
	}
	columns := append(slices.Clone(indexed), experiment.Column{Name: "run", Type: experiment.Text})
	for _, count := range counts {
		columns = append(columns, experiment.Column{Name: count, Type: experiment.Int})
	}
	v.rows = map[string][]int64{}
	twice := func(e *entry) bool {
		v.Problem("rows", "cell %s has more than one row in %s", e.key, CellsFile)
		return false
	}
	err := EachFrame(ctx, filepath.Join(v.dir, CellsFile), columns, func(f *Frame) error {
		v.further, v.trimmed = writtenWith(f.Metadata), f.Metadata[MetadataTrimmed] != ""
		runs := &f.Batch.Columns[len(indexed)]
		for row, cell := range f.Batch.Columns[0].Texts {
			if runs.IsNull(row) || runs.Texts[row] == "" {
				v.Problem("runs", "the row of cell %s does not say which run computed it", cell)
			}
		}
		first := len(v.index.entries)
		if err := v.index.add(f, rowSource{}, twice); err != nil {
			return err
		}
		for k, count := range counts {
			of, rows := &f.Batch.Columns[len(indexed)+1+k], make([]int64, len(v.index.entries)-first)
			for row, cell := range f.Batch.Columns[0].Texts {
				if _, slot, _ := v.index.find(cell); int(slot) >= first { // the other row of a cell is a problem
					if rows[int(slot)-first] = -1; !of.IsNull(row) {
						rows[int(slot)-first] = of.Ints[row]
					}
				}
			}
			v.rows[count] = append(v.rows[count], rows...)
		}
		return nil
	})
	if err != nil {
		v.Problem("files", "the cells cannot be read: %v", err)
		return false, ctx.Err()
	}
	return true, nil
}

func (v *Verification) checkCounts() {
	m := v.Manifest
	if m.Counts == nil {
		v.Note("the manifest has no counts of cells by status, as before the end of a run")
		return
	}
	counts := v.index.counts()
	for _, status := range experiment.Statuses {
		if have := counts[status]; have != m.Counts[status] {
			v.Problem("counts", "%d cells are %s, the manifest says %d", have, status, m.Counts[status])
		}
	}
}

// checkFurther checks that rows are adjacent, in the order of the cells and, if the kind of
// experiment says so, numbered from 0 and as many as a measure of the cell.
func (v *Verification) checkFurther(ctx context.Context, table string) error {
	var declared experiment.Table
	if i := slices.IndexFunc(v.tables, func(t experiment.Table) bool { return t.Name == table }); i >= 0 {
		declared = v.tables[i]
	}
	columns := slices.Clone(indexed[:1])
	if declared.Number != "" {
		columns = append(columns, experiment.Column{Name: declared.Number, Type: experiment.Int})
	}
	path := filepath.Join(v.dir, finalName(table))
	rows := make([]int64, len(v.index.entries)) // by position in index
	last := int32(-1)
	err := EachFrame(ctx, path, columns, func(f *Frame) error {
		cells := f.Batch.Columns[0].Texts
		for from, to := 0, 0; from < len(cells); from = to {
			to = from + cellRun(cells[from:])
			_, slot, ok := v.index.find(cells[from])
			if !ok {
				v.Problem(table+" of no cell", "%s has rows of cell %q, which %s does not have", path, cells[from], CellsFile)
				continue
			}
			if slot < last || slot == last && from > 0 {
				v.Problem("order of "+table, "the rows of cell %s stand in %s where they do not belong", cells[from], path)
			}
			last = slot
			for row := from; row < to; row++ {
				if declared.Number != "" && f.Batch.Columns[1].Ints[row] != rows[slot] {
					v.Problem("numbers of "+table, "%s: %s %d of cell %s stands where number %d should", path, declared.Number, f.Batch.Columns[1].Ints[row], cells[from], rows[slot])
				}
				rows[slot]++
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	without := 0
	for slot, n := range rows {
		if declared.Count == "" {
			break
		}
		e := &v.index.entries[slot]
		switch want := max(v.rows[declared.Count][slot], 0); {
		case n == want, n == 0 && e.has&v.index.lists([]string{table}) != 0: // a command may return no coefficients
		case n == 0:
			without++
		default:
			v.Problem("rows of "+table, "cell %s has %d rows in %s, and %d %s by %s", e.key, n, path, want, declared.Count, CellsFile)
		}
	}
	if without > 0 {
		v.Note("%s has no rows of %s: computed when the grid did not keep them", path, prose.Plural(without, "cell"))
	}
	return nil
}
