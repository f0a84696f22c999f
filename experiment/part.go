package experiment

import "slices"

// Part is the cells of one data set and one method of a plan.
type Part struct {
	Dataset string  `json:"dataset"`
	Method  string  `json:"method"`
	Cells   int64   `json:"cells"`
	Seconds float64 `json:"seconds"` // estimated for all of them on one processor
}

// Parts returns the cells per data set and method, in the order of the grid.
func (p *Plan) Parts() []Part {
	var parts []Part
	for _, g := range p.groups {
		var cells int64
		for _, n := range g.counts() {
			cells += n * int64(len(p.seeds))
		}
		if cells == 0 {
			continue
		}
		i := slices.IndexFunc(parts, func(part Part) bool { return part.Dataset == g.data.Name && part.Method == g.method.name })
		if i < 0 {
			i = len(parts)
			parts = append(parts, Part{Dataset: g.data.Name, Method: g.method.name})
		}
		parts[i].Cells += cells
		parts[i].Seconds += float64(cells) * g.cost
	}
	return parts
}
