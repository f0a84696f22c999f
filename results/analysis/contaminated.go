package analysis

import (
	"maps"
	"math"
	"slices"

	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/results/layout"
)

const trimmedRMSE Metric = "trimmed-rmse"

// Contaminated is a data set of whose test rows a share is far from every method. Its methods are
// ranked by the RMSE without the share Trimmed of the largest errors: the plain RMSE rewards methods
// that fit the far rows.
type Contaminated struct {
	Dataset        string
	Share, Trimmed float64
}

// leastFar is the smallest share of far rows that counts.
const leastFar = 0.05

// farRows estimates for each data set the share of test rows that are far from every method: the
// median over the repeats of the share that is far from the best method, which has the smallest RMSE
// without half of the errors. What is trimmed covers the share of every repeat, as far as there are
// columns.
func (g *cellGroups) farRows() (list []Contaminated) {
	best := map[string]map[int64]*RepeatScore{}
	for setting, methods := range g.entries {
		name := setting[layout.Dataset].Text
		if g.metric(setting) != metric.RMSE {
			continue
		}
		for _, entry := range methods {
			for i := range entry.Sample {
				r := &entry.Sample[i]
				if math.IsNaN(r.Far) {
					continue
				}
				of := under(best, name)
				if have := of[r.Repeat]; have == nil || r.Without[len(r.Without)-1] < have.Without[len(r.Without)-1] {
					of[r.Repeat] = r
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(best)) {
		var shares []float64
		for _, r := range best[name] {
			shares = append(shares, r.Far)
		}
		slices.Sort(shares)
		share := shares[(len(shares)-1)/2]
		if share < leastFar {
			continue
		}
		k, _ := slices.BinarySearch(metric.Shares[:], shares[len(shares)-1])
		list = append(list, Contaminated{name, share, metric.Shares[min(k, len(metric.Shares)-1)]})
	}
	return list
}

// trimContaminated replaces the scores of data sets with far test rows by the trimmed RMSE at the
// chosen age; there is none at other ages. Entries are copied.
func (g *cellGroups) trimContaminated() []Contaminated {
	list := g.farRows()
	if len(list) == 0 {
		return nil
	}
	g.metrics, g.floors = maps.Clone(g.metrics), maps.Clone(g.floors)
	trimmed := func(setting layout.Setting, entry *ScoreEntry) *ScoreEntry {
		i := slices.IndexFunc(list, func(c Contaminated) bool { return c.Dataset == setting[layout.Dataset].Text })
		if i < 0 {
			return entry
		}
		own := *entry
		own.Sample = slices.Clone(entry.Sample)
		for j := range own.Sample {
			own.Sample[j].trim(slices.Index(metric.Shares[:], list[i].Trimmed))
		}
		return &own
	}
	entries := map[layout.Setting]methodEntries{}
	for setting, methods := range g.entries {
		for method, entry := range methods {
			of := trimmed(setting, entry)
			if under(entries, setting)[method] = of; of != entry {
				g.metrics[[2]string{setting[layout.Dataset].Text, setting[layout.Model].Text}] = trimmedRMSE
			}
		}
	}
	for setting, entry := range g.floors {
		g.floors[setting] = trimmed(setting, entry)
	}
	g.entries = entries
	return list
}

func (r *RepeatScore) trim(k int) {
	chosen := TestAtBestValidation
	if math.IsNaN(r.Score[chosen]) { // no validation part
		chosen = TestAtBestTest
	}
	for s := range r.Score {
		r.Score[s] = math.NaN()
	}
	r.Score[chosen] = r.Without[k]
}
