package experiment

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agepath/agepath/internal/lists"
)

// OwnColumn is a column of the cells table that the runner fills.
type OwnColumn struct {
	Column
	Value func(*Outcome, *Tables) any // as [Vector.Append] takes it
	Set   func(*Outcome, any)         // inverse, from a value of [Batch.At]
}

// The columns of cells: labels follow CellsHead, measures follow CellsMiddle.
var (
	CellsHead = []OwnColumn{
		{Column{Name: "run", Type: Text, Doc: "the run that computed the cell"},
			func(o *Outcome, _ *Tables) any { return cmp.Or(o.Origin, o.Run) }, func(o *Outcome, v any) { o.Run, _ = v.(string) }},
		{Column{Name: "cell", Type: Text, Doc: "identity of the cell, 32 hex digits"},
			func(o *Outcome, _ *Tables) any { return o.Cell }, func(o *Outcome, v any) { o.Cell, _ = v.(string) }},
	}
	CellsMiddle = []OwnColumn{
		{Column{Name: "status", Type: Text, Doc: "ok, incomplete, failed, timeout, memory, diverged, cancelled or skipped"},
			func(o *Outcome, _ *Tables) any { return string(o.Status) }, func(o *Outcome, v any) { o.Status = Status(valueOf[string](v)) }},
		{Column{Name: "error", Type: Text, Doc: "why the status is not ok, else null"},
			func(o *Outcome, _ *Tables) any { return text(o.Error) }, func(o *Outcome, v any) { o.Error, _ = v.(string) }},
		{Column{Name: "attempts", Type: Int, Doc: "how often the cell was tried"},
			func(o *Outcome, _ *Tables) any { return o.Attempts }, func(o *Outcome, v any) { o.Attempts = int(valueOf[int64](v)) }},
	}
	CellsTail = []OwnColumn{
		{Column{Name: "wall_seconds", Type: Float, Doc: "elapsed time of the last attempt"},
			func(o *Outcome, _ *Tables) any { return o.Wall }, func(o *Outcome, v any) { o.Wall, _ = v.(float64) }},
		{Column{Name: "cpu_seconds", Type: Float, Doc: "processor time of the last attempt, null where it cannot be told apart"},
			func(o *Outcome, _ *Tables) any { return pointed(o.CPU) }, func(o *Outcome, v any) { o.CPU = pointerTo[float64](v) }},
		{Column{Name: "peak_bytes", Type: Int, Doc: "peak memory of the attempt, null where it was not measured"},
			func(o *Outcome, _ *Tables) any { return pointed(o.Peak) }, func(o *Outcome, v any) { o.Peak = pointerTo[int64](v) }},
		{Column{Name: "worker", Type: Text, Doc: "the worker that computed the cell"},
			func(o *Outcome, _ *Tables) any { return text(o.Worker) }, func(o *Outcome, v any) { o.Worker, _ = v.(string) }},
		{Column{Name: "version", Type: Text, Doc: "version of agepath that computed the cell"},
			func(o *Outcome, _ *Tables) any { return text(o.Version) }, func(o *Outcome, v any) { o.Version, _ = v.(string) }},
		{Column{Name: "started_at", Type: Time, Doc: "start of the last attempt"},
			func(o *Outcome, _ *Tables) any { return Known(o.Started, !o.Started.IsZero()) }, func(o *Outcome, v any) { o.Started, _ = v.(time.Time) }},
		{Column{Name: "finished_at", Type: Time, Doc: "end of the last attempt"},
			func(o *Outcome, _ *Tables) any { return Known(o.Finished, !o.Finished.IsZero()) }, func(o *Outcome, v any) { o.Finished, _ = v.(time.Time) }},
		{Column{Name: "short_of", Type: Float, Doc: "seconds (status timeout) or bytes (memory) known not to be enough: a higher limit computes the cell again; null otherwise"},
			func(o *Outcome, _ *Tables) any { return Known(o.Short, o.Short > 0) }, func(o *Outcome, v any) { o.Short, _ = v.(float64) }},
		{Column{Name: "tables", Type: Text, Doc: "tables that the cell was computed for, with commas: cells, and the further ones that its grid kept, also where it has no rows in them; null where the cell failed"},
			func(o *Outcome, t *Tables) any { return Known(t.computedFor(o), o.Status.Computed()) }, func(*Outcome, any) {}},
		{Column{Name: "platform", Type: Text, Doc: "operating system and architecture that computed the cell, as in linux/amd64, with +fma where the compiler fused operations; null where it is not known"},
			func(o *Outcome, _ *Tables) any { return text(o.Platform) }, func(o *Outcome, v any) { o.Platform, _ = v.(string) }},
		{Column{Name: "software", Type: Text, Since: 13, Doc: "interpreter and libraries of a command with their versions, as the command reports them; null where it reports none and for the other methods"},
			func(o *Outcome, _ *Tables) any { return text(o.Software) }, func(o *Outcome, v any) { o.Software, _ = v.(string) }},
	}
)

// Cells returns the schema of the cells table.
func (t Tables) Cells() Table {
	columns := func(own []OwnColumn) []Column { return lists.Map(own, func(c OwnColumn) Column { return c.Column }) }
	return Table{Name: "cells", Columns: slices.Concat(columns(CellsHead), t.Labels, columns(CellsMiddle), t.Measures, columns(CellsTail))}
}

func (t *Tables) computedFor(o *Outcome) string {
	names := []string{"cells"}
	for i := range t.Further {
		if _, ok := o.Further[t.Further[i].Name]; ok {
			names = append(names, t.Further[i].Name)
		}
	}
	return strings.Join(names, ",")
}

// text replaces invalid UTF-8: messages may quote any bytes, and a row must not fail over them.
func text(s string) any { return NotZero(strings.ToValidUTF8(s, "\uFFFD")) }

func pointed[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func (t Tables) label(labels *Batch, name string) any {
	if j := slices.IndexFunc(t.Labels, func(c Column) bool { return c.Name == name }); j >= 0 && t.FitsLabels(labels) == nil {
		return labels.At(t.Labels[j], j, 0)
	}
	return nil
}

// Text returns a text label, "" if there is none.
func (t Tables) Text(labels *Batch, name string) string {
	return valueOf[string](t.label(labels, name))
}

// Number returns a numeric label, 0 if there is none.
func (t Tables) Number(labels *Batch, name string) float64 {
	return valueOf[float64](t.label(labels, name))
}

func (t Tables) Repeat(labels *Batch) int64 { return valueOf[int64](t.label(labels, "repeat")) }

func valueOf[T any](value any) T {
	x, _ := value.(T)
	return x
}

func pointerTo[T any](value any) *T {
	if x, ok := value.(T); ok {
		return &x
	}
	return nil
}
