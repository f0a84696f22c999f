package experiment

// Names of the methods.
const (
	Original = "original" // the fit with all weights 1
	ACS      = "acs"      // alternate convex search at ages with a fixed step
	GAGA     = "gaga"     // the whole age path with its critical points
)

// Method is a method with the settings it uses. What it ignores is zero, so
// that two methods that compute the same are equal. Its JSON is part of the
// canonical form of a cell.
type Method struct {
	Name        string      `json:"name"`
	Algorithm   int         `json:"algorithm"` // version of the method's numbers
	Regularizer Regularizer `json:"regularizer,omitzero"`
	Age         Age         `json:"age,omitzero"`
}

// Age is the range of ages λ of a path; 0 < Min < Max.
type Age struct {
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
	Step float64 `json:"step,omitempty"` // distance between the ages of alternate convex search, 0 for methods that choose their own
}

// methodInfo says what a method uses of a grid. Adding a method is a line in
// methodTable.
type methodInfo struct {
	name        string
	algorithm   int  // raise it when a change of the code changes the method's numbers
	regularized bool // one cell per regularizer, else one in all
	aged        bool // depends on age.min and age.max
	stepped     bool // depends on age.acs_step
}

var methodTable = []methodInfo{
	{name: Original, algorithm: 2},
	{name: ACS, algorithm: 3, regularized: true, aged: true, stepped: true},
	{name: GAGA, algorithm: 4, regularized: true, aged: true},
}

// methodNames returns the names of the methods in the table's order.
func methodNames() []string {
	names := make([]string, len(methodTable))
	for i, m := range methodTable {
		names[i] = m.name
	}
	return names
}

// lookupMethod returns the method of the given name, nil if there is none.
func lookupMethod(name string) *methodInfo {
	for i := range methodTable {
		if methodTable[i].name == name {
			return &methodTable[i]
		}
	}
	return nil
}

// with returns the method with what it uses of a regularizer and ages.
func (m *methodInfo) with(r Regularizer, age Age) Method {
	method := Method{Name: m.name, Algorithm: m.algorithm}
	if m.regularized {
		method.Regularizer = r
	}
	if m.aged {
		method.Age = Age{Min: age.Min, Max: age.Max}
	}
	if m.stepped {
		method.Age.Step = age.Step
	}
	return method
}

// Methods is one entry of a grid's methods.
type Methods struct {
	Name string

	place place
}
