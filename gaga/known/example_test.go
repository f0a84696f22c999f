package known_test

import (
	"fmt"

	"github.com/agepath/agepath/gaga/known"
)

func ExampleProblems() {
	for _, p := range known.Problems() {
		if p.Name != "lasso linear: two features" {
			continue
		}
		for _, e := range p.Events {
			fmt.Printf("age %v: %v, %v %d, zones %s\n", e.Age, e.Kind, e.Cause, e.Index, p.Zones(e.Age))
		}
		fmt.Printf("%.6f\n", p.At(10))
	}
	// Output:
	// age 5: turning, activated 0, zones EE
	// [0.135359 0.796636 0.000000]
}
