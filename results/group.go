package results

import "slices"

// sensitivityColumns are the columns of the cells table that tables of scores
// are made of.
var sensitivityColumns = slices.Concat(dimensionColumns[:], selectionColumns[:],
	[]string{"method", "repeat", "status", "metric"})

// cellGroups are the cells of a table by setting and method.
type cellGroups struct {
	entries map[Setting]methodEntries
	metrics map[[2]string]Metric // by data set and model, of the cells that were scored
	models  map[string]Metric    // by model alone
}

// metric returns the metric of a setting. Where none of its cells was scored
// it is that of the model on other data.
func (g *cellGroups) metric(s Setting) Metric {
	data, model := s[DimDataset].Text, s[DimModel].Text
	if metric, ok := g.metrics[[2]string{data, model}]; ok {
		return metric
	}
	return g.models[model]
}

func groupCells(cells *Frame) (*cellGroups, error) {
	columns, err := newCellColumns(cells)
	if err != nil {
		return nil, err
	}
	groups := &cellGroups{
		entries: map[Setting]methodEntries{},
		metrics: map[[2]string]Metric{},
		models:  map[string]Metric{},
	}
	for row := range cells.Rows() {
		setting := columns.setting(row)
		entries := groups.entries[setting]
		if entries == nil {
			entries = methodEntries{}
			groups.entries[setting] = entries
		}
		method := columns.text(columns.method, row)
		entry := entries[method]
		if entry == nil {
			entry = &ScoreEntry{}
			entries[method] = entry
		}
		sample, metric := columns.sample(row)
		entry.Cells++
		if !sample.ok {
			entry.Failed++
		}
		entry.Sample = append(entry.Sample, sample)
		if metric != "" {
			data, model := setting[DimDataset].Text, setting[DimModel].Text
			groups.metrics[[2]string{data, model}] = metric
			groups.models[model] = metric
		}
	}
	return groups, nil
}
