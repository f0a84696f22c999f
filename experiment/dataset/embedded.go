package dataset

import "errors"

// Embedded reads the embedded data set of that name; ok tells whether there
// is one.
func Embedded(name string) (d *Dataset, ok bool, err error) { return nil, false, errors.ErrUnsupported }

// EmbeddedNames lists the embedded data sets in alphabetical order.
func EmbeddedNames() []string { return []string{"breast_cancer", "diabetes", "digits"} }
