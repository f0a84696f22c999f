package analysis

import (
	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/layout"
)

// cellGroups are cells by setting and method.
type cellGroups struct {
	schema  *schema
	entries map[Setting]methodEntries
	floors  map[Setting]*ScoreEntry // of the layout's floor, which is none of the entries
	metrics map[[2]string]Metric    // by data set and model, of the cells that were scored
	models  map[string]Metric       // by model alone

	selected experiment.Select // by which score selectBest chose
}

// methodEntries are the entries of one setting by method.
type methodEntries map[string]*ScoreEntry

func newCellGroups(schema *schema) *cellGroups {
	return &cellGroups{
		schema:  schema,
		entries: map[Setting]methodEntries{},
		floors:  map[Setting]*ScoreEntry{},
		metrics: map[[2]string]Metric{},
		models:  map[string]Metric{},
	}
}

// add adds a batch of cells.
func (g *cellGroups) add(columns *cellColumns) error {
	for row := range columns.rows {
		sample, metric, err := columns.sample(row)
		if err != nil {
			return err
		}
		setting, method := columns.setting(row), columns.exactMethod(row)
		entry := g.entry(setting, method)
		entry.Cells++
		switch {
		case sample.Status.Failed():
			entry.Failed++
		case sample.Status == experiment.Incomplete:
			entry.Incomplete++
		}
		entry.Sample = append(entry.Sample, sample)
		if metric != "" && method != g.schema.floorName() {
			data, model := setting[layout.Dataset].Text, setting[layout.Model].Text
			g.metrics[[2]string{data, model}] = metric
			g.models[model] = metric
		}
	}
	return nil
}

// entry returns that of a method in a setting, a new one where there is none.
func (g *cellGroups) entry(setting Setting, method string) *ScoreEntry {
	if method == g.schema.floorName() {
		if g.floors[setting] == nil {
			g.floors[setting] = &ScoreEntry{}
		}
		return g.floors[setting]
	}
	entries := g.entries[setting]
	if entries == nil {
		entries = methodEntries{}
		g.entries[setting] = entries
	}
	if entries[method] == nil {
		entries[method] = &ScoreEntry{}
	}
	return entries[method]
}

// metric returns the metric of a setting. Where none of its cells was scored
// it is that of the model on other data.
func (g *cellGroups) metric(s Setting) Metric {
	data, model := s[layout.Dataset].Text, s[layout.Model].Text
	if metric, ok := g.metrics[[2]string{data, model}]; ok {
		return metric
	}
	return g.models[model]
}
