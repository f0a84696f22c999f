package experiment

import (
	"reflect"
	"strings"
	"testing"
)

const later = SchemaVersion + 1

var grown = Tables{
	Measures: []Column{
		{Name: "a", Type: Float}, {Name: "new", Type: Text, Since: later}, {Name: "b", Type: Int},
	},
	Further: []Table{{Name: "knots", Columns: []Column{
		{Name: "cell", Type: Text}, {Name: "late", Type: FloatList, Since: later}, {Name: "x", Type: Float},
	}}},
}

// TestReshape wants the outcome of a worker without the last columns to get nulls there, and one for
// a coordinator without them to lose them.
func TestReshape(t *testing.T) {
	t.Parallel()
	old := func() *Outcome {
		return &Outcome{
			Status:   OK,
			Measures: Batch{Rows: 1, Columns: []Vector{{Floats: []float64{0.5}}, {Ints: []int64{7}}}},
			Further:  map[string]Batch{"knots": {Rows: 2, Columns: []Vector{{Floats: []float64{1, 2}}}}},
		}
	}
	o := old()
	if err := grown.Reshape(o, later); err != nil || o.Schema != later {
		t.Fatalf("schema %d, %v", o.Schema, err)
	}
	if err := grown.FitsRows(o); err != nil {
		t.Error(err)
	}
	knots := o.Further["knots"]
	if have := [...]any{o.Measures.At(grown.Measures[0], 0, 0), o.Measures.At(grown.Measures[1], 1, 0), o.Measures.At(grown.Measures[2], 2, 0), knots.At(grown.Further[0].Columns[1], 0, 1), knots.At(grown.Further[0].Columns[2], 1, 1)}; have != [...]any{0.5, nil, int64(7), nil, 2.0} {
		t.Errorf("read as %v", have)
	}
	if err := o.Measures.reshape(grown.Measures, later, SchemaVersion); err != nil || !reflect.DeepEqual(o.Measures, old().Measures) {
		t.Errorf("there and back: %+v, %v", o.Measures, err)
	}
	for columns, says := range map[int]string{1: "measures: has 1 columns, too few", 3: "measures: has 3 columns, too many"} {
		o := old()
		o.Measures.Columns = make([]Vector, columns)
		if err := grown.Reshape(o, later); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d columns: %v", columns, err)
		}
	}
	o = old()
	o.Schema = later
	if err := grown.Reshape(o, SchemaVersion); err == nil || !strings.Contains(err.Error(), "this agepath reads versions") {
		t.Errorf("an outcome of a later version: %v", err)
	}
}
