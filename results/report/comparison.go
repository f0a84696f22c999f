package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// MaxRuns is the number of letters, which name runs.
const MaxRuns = 26

// Comparison shows 2 to [MaxRuns] runs compared with the first of them.
type Comparison struct {
	*analysis.RunComparison
}

func (t Text) WriteComparison(w io.Writer, c *Comparison) error {
	var b strings.Builder
	list := []section{{Title: "Runs", Sheets: []*sheet{c.runsSheet()}}}
	for i, p := range c.Pairs {
		list = append(list, c.pairSection(p, runLetter(i+1)))
	}
	for i, s := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n%s\n\n", s.Title, strings.Repeat("=", len(s.Title)))
		t.writeSheets(&b, s.Sheets)
		writeNotes(&b, s.Notes)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func runLetter(i int) string { return string(rune('A' + i)) }

func (c *Comparison) pairSection(p *analysis.RunPair, other string) section {
	s := section{Title: other + " against A", Notes: slices.Clone(p.Notes)}
	s.Sheets = append(s.Sheets, countsSheet(p, other))
	if scores := scoreChangeSheets(p, other, c.Tests); len(scores) > 0 {
		s.Sheets = append(s.Sheets, scores...)
	} else if n := len(p.Scores); n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("no score differs: %s compared, each of a method in a setting over its repeats.", prose.Plural(n, "score")))
	}
	n := &p.Numbers
	if len(n.Columns) > 0 {
		s.Sheets = append(s.Sheets, numbersSheet(p, c.Rounding))
	} else if n.Same > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("no number changed: all measures of %s are equal bit for bit.", prose.Plural(n.Same, "cell")))
	}
	if len(n.Cells) > 0 {
		s.Sheets = append(s.Sheets, changedSheet(n))
	}
	if len(p.Times) > 0 {
		s.Sheets = append(s.Sheets, timesSheet(p, other))
	}
	if len(p.Statuses) > 0 {
		s.Sheets = append(s.Sheets, statusSheet(p), failureChangesSheet(p))
	}
	return s
}

// number is null in JSON if it is not finite.
type number float64

func (x number) MarshalJSON() ([]byte, error) {
	if !stats.Finite(float64(x)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

type object = map[string]any

// MarshalJSON returns the object of docs/schemas/compare.json.
func (c *Comparison) MarshalJSON() ([]byte, error) {
	return json.Marshal(object{
		"rounding":     c.Rounding,
		"significance": c.Tests.Significance,
		"runs":         lists.Map(c.Runs, runJSON),
		"pairs":        lists.Map(c.Pairs, func(p *analysis.RunPair) object { return pairJSON(p, c.Tests) }),
	})
}

func runJSON(r *analysis.ComparedRun) object {
	versions := lists.Map(r.Versions, func(v analysis.VersionCells) object {
		return object{"version": v.Version, "cells": v.Cells}
	})
	return object{"dir": r.Dir, "run": r.Run, "versions": versions, "platforms": append([]string{}, r.Platforms...), "cells": r.Cells, "statuses": StatusCounts(r.Statuses), "ended": !r.Partial}
}

// StatusCounts includes every status.
func StatusCounts(counts map[experiment.Status]int) map[experiment.Status]int {
	all := map[experiment.Status]int{}
	for _, status := range experiment.Statuses {
		all[status] = counts[status]
	}
	return all
}

func pairJSON(p *analysis.RunPair, tests analysis.Tests) object {
	n := &p.Numbers
	return object{
		"baseline": p.Baseline.Dir, "other": p.Other.Dir, "copied": p.Copied, "notes": append([]string{}, p.Notes...),
		"cells": lists.Map(p.Cells, func(n analysis.CellCounts) object {
			return object{"method": allMethods(n.Method), "shared": n.Shared, "counterparts": n.Counterparts,
				"only_baseline": n.OnlyBaseline, "only_other": n.OnlyOther}
		}),
		"scores": lists.Map(p.Scores, func(s analysis.ScoreChange) object { return scoreJSON(p.Layout, s, tests) }),
		"numbers": object{
			"same": n.Same, "within_rounding": n.Rounding, "beyond_rounding": n.Beyond,
			"columns": lists.Map(n.Columns, func(c analysis.NumberChange) object {
				return object{"method": c.Method, "column": c.Column, "cells": c.Cells,
					"within_rounding": c.Rounding, "beyond_rounding": c.Beyond, "farthest": changeJSON(c.Farthest)}
			}),
			"cells": lists.Map(n.Cells, changeJSON),
		},
		"times": lists.Map(p.Times, func(t analysis.TimeRatio) object {
			quantiles := object{}
			for k, q := range analysis.TimeQuantiles {
				quantiles[fmt.Sprintf("quantile_%g", q)] = number(t.Quantiles[k])
			}
			return object{"method": allMethods(t.Method), "column": t.Column, "cells": t.Cells, "baseline_seconds": number(t.Baseline),
				"other_seconds": number(t.Other), "geometric_mean": number(t.Mean), "quantiles": quantiles}
		}),
		"statuses": lists.Map(p.Statuses, func(s analysis.StatusChange) object {
			return object{"baseline": s.Baseline, "other": s.Other, "cells": s.Cells}
		}),
		"failures": lists.Map(p.Failures, func(f analysis.FailureChange) object {
			return object{"cell": f.Cell, "what": f.What, "baseline": f.Baseline, "other": f.Other, "error": f.Error}
		}),
	}
}

func allMethods(method string) any {
	if method == "" {
		return nil
	}
	return method
}

func scoreJSON(l *layout.Layout, s analysis.ScoreChange, tests analysis.Tests) object {
	setting := object{}
	for d, name := range l.Columns() {
		switch value := s.Setting[d]; {
		case value.IsNumber:
			setting[name] = number(value.Number)
		case value.Text != "":
			setting[name] = value.Text
		default:
			setting[name] = nil
		}
	}
	interval := s.Test.Interval(1 - tests.Significance)
	return object{
		"setting": setting, "method": s.Method, "metric": s.Metric, "score": s.Score.String(),
		"pairs": s.Test.N, "baseline_mean": number(s.Baseline.Mean), "other_mean": number(s.Other.Mean),
		"better": s.Better, "worse": s.Worse,
		"difference": number(s.Test.Mean), "interval": []number{number(interval.Low), number(interval.High)},
		"p": number(s.Test.P), "q": number(s.Q),
	}
}

func changeJSON(c analysis.CellChange) object {
	return object{"cell": c.Cell, "what": c.What, "column": c.Column, "baseline": c.Baseline, "other": c.Other, "distance": number(c.Distance)}
}
